import {loadPackage} from '../packages/load.js';

/** @import StringWidth from 'string-width' */

/** Latin letters, punctuation and blocks, each one column wide. */
const narrow = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2580-\u259f]*$/;
/** @type {typeof StringWidth | null} */
let stringWidth = null;

/**
 * Returns the width of a text in terminal columns. Only a text with other characters loads the library, which takes some 80 ms of CPU time.
 * @param {string} text may have colours
 */
export function columnsOf(text) {
  if (narrow.test(text)) return text.length;
  stringWidth ??= /** @type {{default: typeof StringWidth}} */ (loadPackage('string-width')).default;
  return stringWidth(text);
}

const defaultWidth = 80;
/** In a narrower terminal, not even the columns that are always shown fit. */
const minWidth = 60;

/** Returns the width of a terminal; 80 for a file or a pipe. @param {Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>} stream */
export function widthOf({isTTY, columns}) {
  return isTTY && columns > 0 ? Math.max(minWidth, columns) : defaultWidth;
}

/** Longer lines of prose are hard to read. */
const maxHelpWidth = 110;

/** Returns the width of help on a terminal. @returns {number} columns */
export function helpWidth() {
  return Math.min(maxHelpWidth, widthOf(process.stdout));
}

/** Breaks a text between words. A word that is longer than a line gets a separate line. @param {string} text @param {number} width of a line */
export function wrapWords(text, width) {
  return joinParts(text.split(' '), width);
}

/**
 * Joins parts by spaces, as many on a line as fit. A part that is longer than a line is broken between words.
 * @param {readonly string[]} parts @param {number} width of the first line @param {number} [hanging] by how much the other lines are shorter
 */
function joinParts(parts, width, hanging = 0) {
  const [first = '', ...others] = parts.flatMap((part) =>
    columnsOf(part) > width - hanging ? part.split(' ') : [part],
  );
  const lines = [first];
  for (const part of others) {
    const last = lines[lines.length - 1];
    const room = lines.length === 1 ? width : width - hanging;
    if (columnsOf(last) + 1 + columnsOf(part) > room) lines.push(part);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines;
}

const hangingIndent = 2;

/**
 * Joins parts by spaces, as many on a line as fit. All lines but the first are indented by two more spaces.
 * @param {readonly string[]} parts @param {number} width of a line @param {number} [indent] of the first line
 */
export function joinIndented(parts, width, indent = 0) {
  return joinParts(parts, width - indent, hangingIndent).map(
    (line, index) => ' '.repeat(index === 0 ? indent : indent + hangingIndent) + line,
  );
}

/**
 * Breaks a text between words. All lines but the first are indented by two more spaces.
 * @param {string} text @param {number} width of a line @param {number} [indent] of the first line
 */
export function wrapIndented(text, width, indent = 0) {
  return joinIndented(text.split(' '), width, indent);
}
