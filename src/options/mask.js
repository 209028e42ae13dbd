/** @import {Option} from './option.js' */

/** What stands in the place of a secret. */
const hidden = '***';

/** Whether any part of a value may be shown or stored. @param {Option} option */
export function canShow({secret, type}) {
  return !secret || type.mask !== undefined;
}

/**
 * A text that somebody gave for an option, as messages may show it.
 * @param {Option} option
 * @param {string} text
 */
export function maskText({secret, type}, text) {
  if (!secret) return text;
  return type.mask === undefined ? hidden : type.mask(text);
}

/**
 * A value as a person would give it, the secret masked.
 * @param {Option} option
 * @param {unknown} value null: unset
 * @param {{several: boolean}} how several: the value is that of a battle, where lists are arrays
 */
export function formatMasked(option, value, {several}) {
  if (value === null) return '(unset)';
  const {type, list} = option;
  const texts =
    several && list ? /** @type {readonly unknown[]} */ (value).map(type.format) : [type.format(value)];
  return texts.map((text) => maskText(option, text)).join(',');
}

/**
 * A value as the journal and the records keep it.
 * @param {Option} option
 * @param {unknown} value
 */
export function maskValue(option, value) {
  return option.secret && value !== null ? formatMasked(option, value, {several: true}) : value;
}

/** Whether a stored value lost its secret. @param {unknown} value */
export function isMasked(value) {
  return String(value).includes(hidden);
}
