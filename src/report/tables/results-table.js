import {indentStart, insertAt, lineEndAfter, lineEndingAt} from '../../files/text-lines.js';
import {endOf, startOf, textOf} from '../markdown-document.js';
import {plainText} from '../terminal.js';
import {findResultsTable, insertResultsTable} from './results-table-place.js';
import {endsWithPipe, escapeCell, formatRow, NOT_AVAILABLE} from './table-of.js';

/**
 * @import {Table} from '../markdown-document.js'
 * @import {ResultRow, ResultsKind} from '../../columns/results-kinds.js'
 * @import {RowStyle} from './table-of.js'
 */

/**
 * Appends rows to the results table of a markdown text and changes nothing else. Lines are inserted after the table's last
 * row, and a column for each new machine at the end of its header and delimiter lines. Existing rows stay as they are; if
 * they are short, markdown reads empty cells. A missing table is added. Ids continue from the table's largest, and columns
 * that a person added get an empty cell.
 *
 * @param {string} markdown
 * @param {ResultRow[]} rows
 * @param {ResultsKind} kind
 * @returns {string}
 */
export function appendResultRows(markdown, rows, kind) {
  if (rows.length === 0) return markdown;
  const table = findResultsTable(markdown, kind);
  if (table === undefined) return appendResultRows(insertResultsTable(markdown, kind), rows, kind);

  const {headers, widths, style, header, delimiter, lastLineEnd, lineEnding} = readLayout(markdown, table);
  const added = newHeaders(headers, rows, kind);
  const names = added.map(escapeCell);
  const dashes = names.map((name) => '-'.repeat(name.length));
  const allHeaders = [...headers, ...added];
  const allWidths = [...widths, ...dashes.map(({length}) => length)];
  const firstId = largestId(markdown, table) + 1n;
  const lines = rows.map((row, index) => {
    const cells = cellsOf(row, firstId + BigInt(index), allHeaders, kind);
    return lineEnding + formatRow(cells, allWidths, style);
  });
  return insertAt(markdown, [
    {at: header.at, text: moreCells(names, header)},
    {at: delimiter.at, text: moreCells(dashes, delimiter)},
    {at: lastLineEnd, text: lines.join('')},
  ]);
}

/**
 * The columns that the rows need and the table does not have, in the order of the rows.
 *
 * @param {string[]} headers
 * @param {ResultRow[]} rows
 * @param {ResultsKind} kind
 * @returns {string[]}
 */
function newHeaders(headers, rows, kind) {
  const needed = rows.flatMap((row) => [...cellsOfMachines(row, kind).keys()]);
  return [...new Set(needed)].filter((header) => !headers.includes(header));
}

/**
 * A row's figures by the header of their column.
 *
 * @param {ResultRow} row
 * @param {ResultsKind} kind
 * @returns {Map<string, number>}
 */
function cellsOfMachines({figures: byMachine}, {prefix}) {
  /** @type {Map<string, number>} */
  const figures = new Map();
  for (const [machine, figure] of Object.entries(byMachine)) {
    if (Number.isFinite(figure)) {
      figures.set(prefix + (plainText(machine) || 'unknown'), /** @type {number} */ (figure));
    }
  }
  return figures;
}

/**
 * The largest whole number in the first column. A person may have typed any number there, so no bound is assumed.
 *
 * @param {string} markdown
 * @param {Table} table of that text, in which rows may be left out
 * @returns {bigint} 0 when there is none
 */
function largestId(markdown, table) {
  const parsed = table.children.map(({children: [first]}) => (first === undefined ? '' : textOf(first)));
  const written = markdown
    .slice(startOf(table), endOf(table))
    .matchAll(/^[ \t]*\|?[ \t*_]*(\d+)[ \t*_]*\|/gm);
  let largest = 0n;
  for (const text of [...parsed, ...[...written].map(([, id]) => id)]) {
    if (/^\d+$/.test(text) && BigInt(text) > largest) largest = BigInt(text);
  }
  return largest;
}

/**
 * @param {ResultRow} row
 * @param {bigint} id
 * @param {string[]} headers
 * @param {ResultsKind} kind
 * @returns {string[]}
 */
function cellsOf(row, id, headers, kind) {
  const figures = cellsOfMachines(row, kind);
  const named = [String(id), ...kind.nameOf(row).map(escapeCell)];
  const others = headers.slice(named.length).map((header) => {
    const figure = figures.get(header);
    if (figure !== undefined) return kind.format(figure);
    return header.startsWith(kind.prefix) ? NOT_AVAILABLE : '';
  });
  return [...named, ...others];
}

/**
 * The text that adds cells to the end of a line of the table.
 *
 * @param {string[]} cells
 * @param {LineEnd} lineEnd
 * @returns {string}
 */
function moreCells(cells, {hasPipe}) {
  return cells.map((cell) => (hasPipe ? ` ${cell} |` : ` | ${cell}`)).join('');
}

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
function readLayout(markdown, table) {
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
