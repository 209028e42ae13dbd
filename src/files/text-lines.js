/** @typedef {{at: number, text: string}} Insertion a text to insert, and the offset to insert it at */

/**
 * The text with others inserted. All that was there stays as it was.
 *
 * @param {string} text
 * @param {Insertion[]} insertions in the order of their offsets
 * @returns {string}
 */
export function insertAt(text, insertions) {
  let result = '';
  let from = 0;
  for (const insertion of insertions) {
    result += text.slice(from, insertion.at) + insertion.text;
    from = insertion.at;
  }
  return result + text.slice(from);
}

/**
 * Where the line that holds an offset ends: before its line ending, or at the end of the text.
 *
 * @param {string} text
 * @param {number} offset
 * @returns {number}
 */
export function lineEndAfter(text, offset) {
  let end = offset;
  while (end < text.length && lineEndingAt(text, end) === '') end += 1;
  return end;
}

/**
 * Where the spaces start that stand right before an offset: the indentation of a block that starts there.
 *
 * @param {string} text
 * @param {number} offset
 * @returns {number} the offset itself when there are none
 */
export function indentStart(text, offset) {
  let start = offset;
  while (text[start - 1] === ' ') start -= 1;
  return start;
}

/**
 * The line ending that stands at an offset. Markdown knows three: LF, CRLF and a lone CR.
 *
 * @param {string} text
 * @param {number} offset
 * @returns {string} empty when there is none
 */
export function lineEndingAt(text, offset) {
  const character = text[offset];
  if (character === '\r') return text[offset + 1] === '\n' ? '\r\n' : '\r';
  return character === '\n' ? '\n' : '';
}

/**
 * The line ending that a text uses most, the first of them if equal; a line feed when it has none.
 *
 * @param {string} text
 * @returns {string}
 */
export function usualLineEnding(text) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [ending] of text.matchAll(/\r\n|\n|\r/g)) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  const [usual] = [...counts].sort(([, left], [, right]) => right - left);
  return usual?.[0] ?? '\n';
}

/**
 * Whether a text ends with a blank line, or has nothing in it but a byte order mark.
 *
 * @param {string} text
 * @returns {boolean}
 */
export function isBlankBefore(text) {
  return /(?:^\uFEFF*|\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)$|^\uFEFF*$/.test(text);
}

/**
 * Whether a text starts with a blank line, or is empty.
 *
 * @param {string} text
 * @returns {boolean}
 */
export function isBlankAfter(text) {
  return /^[ \t]*(?:[\r\n]|$)/.test(text);
}
