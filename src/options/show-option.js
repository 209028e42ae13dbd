import {closest, distance} from 'fastest-levenshtein';
import {maskPassword} from '../files/quote.js';
import {onOff} from './types.js';

/** @import {Option} from './contract.js' */

/** Longer lists of choices do not fit next to a flag. */
const maxChoicesLength = 20;

/** A flag with its letter and the placeholder of its value: `-p, --payload SIZE,…`. @param {Option} option */
export function flagText(option) {
  const {name, short} = option;
  return [short === null ? `--${name}` : `-${short}, --${name}`, placeholderOf(option)]
    .filter((part) => part !== '')
    .join(' ');
}

/** @param {Option} option @returns {string} empty for a switch, which needs no value */
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

const hidden = '***';

/** Whether a value, or a part of it, may be shown or stored. @param {Option} option */
export function canShow({secret, type}) {
  return !secret || type.mask !== undefined;
}

/** @param {Option} option @param {string} text */
function maskText({secret, type}, text) {
  if (!secret) return text;
  return type.mask === undefined ? hidden : type.mask(text);
}

/**
 * Masks a text that was not allowed, which may contain a secret even if the option is not secret.
 * @param {Option} option @param {string} text @returns {string | null} null if nothing may be shown
 */
export function maskRefused(option, text) {
  if (option.type.maskRefused) return option.type.maskRefused(text);
  if (!option.secret) return maskPassword(text);
  return canShow(option) ? maskText(option, text) : null;
}

/**
 * Formats a value as on a command line, with secrets masked.
 * @param {Option} option @param {unknown} value null if unset
 * @param {{several: boolean}} how several: the value is from a battle, in which lists are arrays
 */
export function formatMasked(option, value, {several}) {
  if (value === null) return '(unset)';
  const {type, list} = option;
  const texts =
    several && list ? /** @type {readonly unknown[]} */ (value).map(type.format) : [type.format(value)];
  return texts.map((text) => maskText(option, text)).join(type.separator ?? ',');
}

/** Masks a value for the journal and the records. @param {Option} option @param {unknown} value */
export function maskValue(option, value) {
  return option.secret && value !== null ? formatMasked(option, value, {several: true}) : value;
}

/** Whether a stored value is incomplete because a secret was masked. @param {unknown} value */
export function isMasked(value) {
  return String(value).includes(hidden);
}

/** The time to compute the distance grows with the square of the length. */
const maxLength = 100;

/**
 * Suggests a name in a sentence after a space; empty if no name is similar.
 * @param {string} given @param {readonly string[]} names @param {string} [prefix] printed before the name, such as --
 */
export function didYouMean(given, names, prefix = '') {
  const name = suggest(given, names);
  return name === null ? '' : ` Did you mean ${prefix}${name}?`;
}

/**
 * Finds the name that the user probably meant. A name that ends or begins with the given words is preferred: --rabbitmq-confirms for --confirms.
 * A name that differs in more than two fifths of its letters is not suggested.
 * @param {string} given @param {readonly string[]} names
 */
function suggest(given, names) {
  if (given.length < 2 || given.length > maxLength || names.length === 0) return null;
  if (names.includes(given)) return given;
  const whole = names.filter((name) => name.endsWith(`-${given}`) || name.startsWith(`${given}-`));
  if (whole.length === 1) return whole[0];
  const begun = names.filter((name) => given.length > 2 && name.startsWith(given));
  if (begun.length > 0) return begun.reduce((one, other) => (other.length < one.length ? other : one));
  const swapped = names.find((name) => isSwapped(given, name));
  if (swapped !== undefined) return swapped;
  const nearest = closest(given, names);
  return distance(given, nearest) <= Math.max(1, Math.floor(0.4 * nearest.length)) ? nearest : null;
}

/** Whether two adjacent letters are exchanged, as in hlep for help. @param {string} given @param {string} name */
function isSwapped(given, name) {
  const at = [...name].findIndex((letter, index) => letter !== given[index]);
  return at >= 0 && given === `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
}
