import {maskPassword} from '../files/mask-password.js';

/** A value that is longer than this is cut in messages. */
const maxLength = 80;

/**
 * A value as messages show it: a long one is cut, and its length is given.
 * @param {string} text
 * @returns {string}
 */
export function shorten(text) {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… (${text.length} characters)`;
}

/**
 * The same in quotation marks, with control characters escaped, and what may be a password masked.
 * @param {string} text
 */
export function quote(text) {
  return JSON.stringify(shorten(maskPassword(text)));
}
