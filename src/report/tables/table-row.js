import {plainText} from '../plain-text.js';

/** The text of a cell without a figure. */
export const NOT_AVAILABLE = '*N/A*';

/**
 * One line of a markdown table.
 *
 * @typedef {{indent: string, leadingPipe: boolean, trailingPipe: boolean}} RowStyle
 * @param {string[]} cells already escaped
 * @param {number[]} widths how wide each column is, in characters; longer cells stay whole
 * @param {RowStyle} style how the table is written
 * @returns {string} without a line ending
 */
export function formatRow(cells, widths, {indent, leadingPipe, trailingPipe}) {
  const padded = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ');
  const line = `${indent}${leadingPipe ? '| ' : ''}${padded}`;
  return trailingPipe ? `${line} |` : line.trimEnd();
}

/**
 * Escapes a text, so that its cell shows exactly this text: on one line, without characters that would end the cell or have
 * a meaning in markdown. `*N/A*` stays as it is, and so does an underscore within a word.
 *
 * @param {string} text
 * @returns {string}
 */
export function escapeCell(text) {
  if (text === NOT_AVAILABLE) return text;
  return plainText(text).replace(/[\\`*<[\]|~]|&(?=[#\p{L}])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

/**
 * Whether a line ends with a pipe that closes its last cell, not with an escaped one.
 *
 * @param {string} line without trailing white space
 * @returns {boolean}
 */
export function endsWithPipe(line) {
  const escapes = /(\\*)\|$/.exec(line)?.[1];
  return escapes !== undefined && escapes.length % 2 === 0;
}
