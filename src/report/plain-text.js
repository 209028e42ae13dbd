/**
 * A text on one line: line endings, tabs, control characters and runs of spaces become one space.
 *
 * @param {string} text
 * @returns {string}
 */
export function plainText(text) {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
