import {indentStart, lineEndAfter, lineEndingAt} from '../../files/text-lines.js';
import {endOf, startOf, textOf} from '../markdown-document.js';
import {endsWithPipe} from './table-row.js';

/**
 * @import {Table} from '../markdown-document.js'
 * @import {RowStyle} from './table-row.js'
 */

/**
 * How a table is written, and where rows and columns can be inserted.
 *
 * @typedef {object} TableLayout
 * @property {string[]} headers texts of its header cells
 * @property {number[]} widths of its header cells, in characters
 * @property {RowStyle} style of its header line
 * @property {LineEnd} header
 * @property {LineEnd} delimiter
 * @property {number} lastLineEnd where its last line ends, before the line ending
 * @property {string} lineEnding the one that it uses
 *
 * @typedef {{at: number, hasPipe: boolean}} LineEnd where the last cell of a line ends, and whether a pipe closes it
 */

/**
 * Reads the layout of a top-level table.
 *
 * @param {string} markdown
 * @param {Table} table of that text
 * @returns {TableLayout}
 */
export function readLayout(markdown, table) {
  const cells = table.children[0]?.children ?? [];
  const start = startOf(table);
  const headerLineEnd = lineEndAfter(markdown, start);
  const lineEnding = lineEndingAt(markdown, headerLineEnd);
  const delimiterStart = headerLineEnd + lineEnding.length;
  const header = lineEndOf(markdown, start, headerLineEnd);
  return {
    headers: cells.map(textOf),
    widths: cells.map((cell) => cellWidth(markdown.slice(startOf(cell), Math.min(endOf(cell), header.at)))),
    style: {
      indent: markdown.slice(indentStart(markdown, start), start),
      leadingPipe: markdown[start] === '|',
      trailingPipe: header.hasPipe,
    },
    header,
    delimiter: lineEndOf(markdown, delimiterStart, lineEndAfter(markdown, delimiterStart)),
    lastLineEnd: lineEndAfter(markdown, endOf(table)),
    lineEnding,
  };
}

/** @param {string} markdown @param {number} start @param {number} end @returns {LineEnd} */
function lineEndOf(markdown, start, end) {
  const line = markdown.slice(start, end).trimEnd();
  return {at: start + line.length, hasPipe: endsWithPipe(line)};
}

/**
 * The width of a cell without its pipes and without one space beside each.
 *
 * @param {string} source
 * @returns {number}
 */
function cellWidth(source) {
  const content = source.replace(/^\|/, '');
  const inner = endsWithPipe(content) ? content.slice(0, -1) : content;
  return inner.replace(/^ /, '').replace(/ $/, '').length;
}
