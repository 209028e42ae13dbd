import {markdownTable} from 'markdown-table';
import {
  indentStart,
  insertAt,
  isBlankAfter,
  isBlankBefore,
  lineEndAfter,
  lineEndingAt,
  mainLineEnding,
} from '../../files/text-lines.js';
import {endOf, findComments, parseBlocks, startOf, textOf} from '../markdown-document.js';
import {escapeCell, NOT_AVAILABLE, plainText} from '../terminal.js';

/**
 * @import {Table} from '../markdown-document.js'
 * @import {ResultRow, ResultsKind} from '../../columns/column.js'
 */

/**
 * Appends rows to the results table of a markdown text and changes nothing else. New lines follow the last row of the table. A column for
 * each new machine is added at the end of the header and delimiter lines. Existing rows stay as they are: markdown reads missing cells as
 * empty. A missing table is added. Ids continue from the largest one. Columns that a user added get an empty cell.
 * @param {string} markdown @param {ResultRow[]} rows @param {ResultsKind} kind
 */
export function appendResultRows(markdown, rows, kind) {
  if (rows.length === 0) return markdown;
  const table = findResultsTable(markdown, kind);
  if (table === undefined) return appendResultRows(insertResultsTable(markdown, rows, kind), rows, kind);

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
 * Returns the columns that the rows need and the table lacks, in the order of the rows.
 * @param {string[]} headers @param {ResultRow[]} rows @param {ResultsKind} kind
 */
function newHeaders(headers, rows, kind) {
  const needed = rows.flatMap((row) => [...cellsOfMachines(row, kind).keys()]);
  return [...new Set(needed)].filter((header) => !headers.includes(header));
}

/** Returns a row's figures by the header of their column. @param {ResultRow} row @param {ResultsKind} kind */
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
 * Returns the largest whole number in the first column. A user may have typed any number, so no bound is assumed.
 * @param {string} markdown @param {Table} table of the text; rows may be left out @returns {bigint} 0 if there is none
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

/** @param {ResultRow} row @param {bigint} id @param {string[]} headers @param {ResultsKind} kind */
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

/** @param {string[]} cells @param {LineEnd} lineEnd of a line that gets the cells */
function moreCells(cells, {hasPipe}) {
  return cells.map((cell) => (hasPipe ? ` ${cell} |` : ` | ${cell}`)).join('');
}

/**
 * Describes how a table is written, and where rows and columns can be inserted.
 *
 * @typedef {object} TableLayout
 * @property {string[]} headers texts of the header cells
 * @property {number[]} widths of the header cells, in characters
 * @property {RowStyle} style of the header line
 * @property {LineEnd} header
 * @property {LineEnd} delimiter
 * @property {number} lastLineEnd end of the last line, before its line ending
 * @property {string} lineEnding
 *
 * @typedef {{at: number, hasPipe: boolean}} LineEnd at: end of the last cell of a line; hasPipe: whether a pipe closes the cell
 */

/** @param {string} markdown @param {Table} table a top-level table of the text @returns {TableLayout} */
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

/** @param {string} markdown @param {number} start @param {number} end */
function lineEndOf(markdown, start, end) {
  const line = markdown.slice(start, end).trimEnd();
  return {at: start + line.length, hasPipe: endsWithPipe(line)};
}

/** Returns the width of a cell without its pipes and without one space on each side. @param {string} source */
function cellWidth(source) {
  const content = source.replace(/^\|/, '');
  const inner = endsWithPipe(content) ? content.slice(0, -1) : content;
  return inner.replace(/^ /, '').replace(/ $/, '').length;
}

/**
 * @typedef {{indent: string, leadingPipe: boolean, trailingPipe: boolean}} RowStyle
 * @param {string[]} cells already escaped
 * @param {number[]} widths of the columns, in characters; longer cells are not cut
 * @param {RowStyle} style @returns {string} without a line ending
 */
function formatRow(cells, widths, {indent, leadingPipe, trailingPipe}) {
  const padded = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ');
  const line = `${indent}${leadingPipe ? '| ' : ''}${padded}`;
  return trailingPipe ? `${line} |` : line.trimEnd();
}

/** An escaped pipe does not close a cell. @param {string} line without trailing white space */
function endsWithPipe(line) {
  const escapes = /(\\*)\|$/.exec(line)?.[1];
  return escapes !== undefined && escapes.length % 2 === 0;
}

/**
 * Finds a results table: the first one with the columns of its kind after the marker comment, or in the whole text if there is no marker.
 * A table with other columns has another purpose, even right after the marker. Tables in quotations and lists are ignored.
 * @param {string} markdown @param {ResultsKind} kind
 */
function findResultsTable(markdown, kind) {
  const blocks = parseBlocks(markdown);
  const [marker] = findComments(blocks, kind.marker);
  return blocks
    .slice(marker === undefined ? 0 : blocks.indexOf(marker) + 1)
    .filter((block) => block.type === 'table')
    .find((table) => hasFirstColumns(table, kind));
}

/** @param {Table} table @param {ResultsKind} kind */
function hasFirstColumns(table, {firstColumns}) {
  const headers = table.children[0]?.children ?? [];
  return firstColumns.every(
    (column, index) => headers[index] !== undefined && textOf(headers[index]) === column,
  );
}

/**
 * Inserts an empty results table, with columns as wide as the rows need, right after the marker, or with a marker at the end of the text.
 * A fence or comment that is never closed would include everything after it. In this case, the table is inserted before it.
 * @param {string} markdown a text without a results table @param {readonly ResultRow[]} rows @param {ResultsKind} kind
 */
function insertResultsTable(markdown, rows, {firstColumns, marker: name, nameOf}) {
  const blocks = parseBlocks(markdown);
  const named = rows.map((row) => ['', ...nameOf(row).map(escapeCell)]);
  const table = markdownTable([[...firstColumns], ...named])
    .split('\n')
    .slice(0, 2)
    .join('\n');
  const [marker] = findComments(blocks, name);
  if (marker !== undefined) return insertBlock(markdown, lineEndAfter(markdown, endOf(marker)), table);

  const markedTable = `<!-- ${name} -->\n\n${table}`;
  const atEnd = insertBlock(markdown, markdown.length, markedTable);
  const isSwallowed = findComments(parseBlocks(atEnd), name).length === 0;
  const last = blocks.at(-1);
  return isSwallowed && last
    ? insertBlock(markdown, indentStart(markdown, startOf(last)), markedTable)
    : atEnd;
}

/**
 * Inserts lines at the start or the end of a line, with the line ending of the text and a blank line on either side.
 * @param {string} markdown @param {number} at @param {string} lines
 */
function insertBlock(markdown, at, lines) {
  const before = markdown.slice(0, at);
  const after = markdown.slice(at);
  const lineEnding = mainLineEnding(markdown);
  const own = lines.replaceAll('\n', lineEnding);
  return before + gapBefore(before, lineEnding) + own + gapAfter(after, lineEnding) + after;
}

/** @param {string} before @param {string} lineEnding */
function gapBefore(before, lineEnding) {
  if (isBlankBefore(before)) return '';
  return /[\r\n]$/.test(before) ? lineEnding : lineEnding + lineEnding;
}

/** @param {string} after @param {string} lineEnding */
function gapAfter(after, lineEnding) {
  const ending = lineEndingAt(after, 0);
  if (after === '') return lineEnding;
  if (ending === '') return lineEnding + lineEnding;
  return isBlankAfter(after.slice(ending.length)) ? '' : lineEnding;
}

/**
 * Returns the rows that the results table of a text does not have yet. Ids are not compared.
 * @param {string} markdown @param {readonly ResultRow[]} rows @param {ResultsKind} kind
 */
export function missingRows(markdown, rows, kind) {
  const table = findResultsTable(markdown, kind);
  if (table === undefined) return [...rows];
  const [header, delimiter, ...lines] = markdown.slice(startOf(table), endOf(table)).split(/\r\n?|\n/);
  const head = `${header}\n${delimiter}`;
  // A table may have thousands of rows. Only rows with the figures of the new rows are parsed.
  const figures = rows.flatMap((row) => figuresOfRow(row, kind));
  const candidates = lines.filter((line) => figures.some((figure) => line.includes(figure)));
  const present = new Set(rowTexts([head, ...candidates].join('\n'), kind));
  return rows.filter((row) => {
    const [text] = rowTexts(appendResultRows(head, [row], kind), kind).slice(-1);
    return !present.has(text);
  });
}

/** @param {ResultRow} row @param {ResultsKind} kind @returns {string[]} as the table shows them */
function figuresOfRow({figures}, kind) {
  return Object.values(figures).flatMap((figure) =>
    Number.isFinite(figure) ? kind.format(Number(figure)) : [],
  );
}

/**
 * Returns the rows of the results table as text, without Id and without empty or missing cells.
 * @param {string} markdown @param {ResultsKind} kind
 */
function rowTexts(markdown, kind) {
  const rows = findResultsTable(markdown, kind)?.children.slice(1) ?? [];
  return rows.map(({children}) =>
    children
      .slice(1)
      .map(textOf)
      .filter((text) => text !== '' && text !== 'N/A' && text !== '*N/A*')
      .join(' | '),
  );
}
