/** @typedef {{at: number, text: string}} Insertion at: the offset */

/**
 * Inserts texts into a text and leaves everything else unchanged.
 * @param {string} text
 * @param {Insertion[]} insertions in the order of their offsets
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
 * The end of the line that contains an offset: before its line ending, or at the end of the text.
 * @param {string} text @param {number} offset
 */
export function lineEndAfter(text, offset) {
  let end = offset;
  while (end < text.length && lineEndingAt(text, end) === '') end += 1;
  return end;
}

/**
 * The start of the spaces directly before an offset: the indentation of a block that starts at the offset.
 * @param {string} text @param {number} offset
 * @returns {number} the offset itself if there are no spaces
 */
export function indentStart(text, offset) {
  let start = offset;
  while (text[start - 1] === ' ') start -= 1;
  return start;
}

/**
 * The line ending at an offset. Markdown has three line endings: LF, CRLF and a lone CR.
 * @param {string} text @param {number} offset
 * @returns {string} empty if there is no line ending
 */
export function lineEndingAt(text, offset) {
  const character = text[offset];
  if (character === '\r') return text[offset + 1] === '\n' ? '\r\n' : '\r';
  return character === '\n' ? '\n' : '';
}

/**
 * The most frequent line ending of a text; the first one in the text if several are equally frequent; LF if there is none.
 * @param {string} text
 */
export function mainLineEnding(text) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [ending] of text.matchAll(/\r\n|\n|\r/g)) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  const [main] = [...counts].sort(([, left], [, right]) => right - left);
  return main?.[0] ?? '\n';
}

/** Whether a text ends with a blank line, or contains only a byte order mark. @param {string} text */
export function isBlankBefore(text) {
  return /(?:^\uFEFF*|\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)$|^\uFEFF*$/.test(text);
}

/** Whether a text starts with a blank line, or is empty. @param {string} text */
export function isBlankAfter(text) {
  return /^[ \t]*(?:[\r\n]|$)/.test(text);
}
