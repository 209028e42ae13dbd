import {safeText} from '../safe-text.js';

/**
 * A text on one line, as `safeText` makes it: line endings, tabs and runs of spaces become one space.
 *
 * @param {string} text
 * @returns {string}
 */
export function plainText(text) {
  return safeText(text).replace(/\s+/gu, ' ').trim();
}
