import {closest, distance} from 'fastest-levenshtein';
import {maskPassword} from '../files/given-file.js';
import {onOff} from './types.js';

/** @import {Option} from './contract.js' */

/** Longer lists of choices do not fit beside a flag. */
const maxChoicesLength = 20;

/** A flag with its letter and what its value is: `-p, --payload SIZE,…`. @param {Option} option */
export function flagText(option) {
  const {name, short} = option;
  return [short === null ? `--${name}` : `-${short}, --${name}`, placeholderOf(option)]
    .filter((part) => part !== '')
    .join(' ');
}

/** What stands for the value of an option. @param {Option} option @returns {string} empty for a switch, which needs none */
export function placeholderOf({type, list, placeholder}) {
  if (type === onOff && !list) return '';
  const one = placeholder ?? type.placeholder ?? ofChoices(type.choices);
  return list ? `${one}${type.separator ?? ','}…` : one;
}

/** @param {readonly string[]} [choices] */
function ofChoices(choices) {
  if (choices === undefined) return 'VALUE';
  const all = choices.join('|');
  return all.length <= maxChoicesLength ? all : 'NAME';
}

/** Replaces a secret. */
const hidden = '***';

/** Whether any part of a value may be shown or stored. @param {Option} option */
export function canShow({secret, type}) {
  return !secret || type.mask !== undefined;
}

/** The given text of an option, as messages may show it. @param {Option} option @param {string} text */
function maskText({secret, type}, text) {
  if (!secret) return text;
  return type.mask === undefined ? hidden : type.mask(text);
}

/**
 * A text that was not allowed, as messages may show it. A person may have put a secret where none belongs.
 * @param {Option} option @param {string} text
 * @returns {string | null} null: nothing may be shown
 */
export function maskRefused(option, text) {
  if (option.type.maskRefused) return option.type.maskRefused(text);
  if (!option.secret) return maskPassword(text);
  return canShow(option) ? maskText(option, text) : null;
}

/**
 * A value in the form in which a person gives it, with secrets masked.
 * @param {Option} option
 * @param {unknown} value null: unset
 * @param {{several: boolean}} how several: the value is that of a battle, where lists are arrays
 */
export function formatMasked(option, value, {several}) {
  if (value === null) return '(unset)';
  const {type, list} = option;
  const texts =
    several && list ? /** @type {readonly unknown[]} */ (value).map(type.format) : [type.format(value)];
  return texts.map((text) => maskText(option, text)).join(type.separator ?? ',');
}

/**
 * A value in the form in which the journal and the records store it.
 * @param {Option} option @param {unknown} value
 */
export function maskValue(option, value) {
  return option.secret && value !== null ? formatMasked(option, value, {several: true}) : value;
}

/** Whether a stored value is incomplete because a secret was masked. @param {unknown} value */
export function isMasked(value) {
  return String(value).includes(hidden);
}

/** The distance takes time that grows with the square of the length. */
const maxLength = 100;

/**
 * The suggestion as a sentence, with a space before it; empty if there is none.
 * @param {string} given @param {readonly string[]} names
 * @param {string} [prefix] of each name, such as --
 */
export function didYouMean(given, names, prefix = '') {
  const name = suggest(given, names);
  return name === null ? '' : ` Did you mean ${prefix}${name}?`;
}

/**
 * The name that a person probably meant. A name that ends or begins with the given words comes first: --confirms is --rabbitmq-confirms. A name
 * that differs in more than two fifths of its letters is not suggested.
 * @param {string} given @param {readonly string[]} names
 */
function suggest(given, names) {
  if (given.length < 2 || given.length > maxLength || names.length === 0) return null;
  const whole = names.filter((name) => name.endsWith(`-${given}`) || name.startsWith(`${given}-`));
  if (whole.length === 1) return whole[0];
  const begun = names.filter((name) => given.length > 2 && name.startsWith(given));
  if (begun.length > 0) return begun.reduce((one, other) => (other.length < one.length ? other : one));
  const swapped = names.find((name) => isSwapped(given, name));
  if (swapped !== undefined) return swapped;
  const nearest = closest(given, names);
  return distance(given, nearest) <= Math.max(1, Math.floor(0.4 * nearest.length)) ? nearest : null;
}

/** Whether two letters that stand next to each other are exchanged: hlep is help. @param {string} given @param {string} name */
function isSwapped(given, name) {
  const at = [...name].findIndex((letter, index) => letter !== given[index]);
  return at >= 0 && given === `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
}
