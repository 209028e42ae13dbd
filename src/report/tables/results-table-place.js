import {markdownTable} from 'markdown-table';
import {
  indentStart,
  isBlankAfter,
  isBlankBefore,
  lineEndAfter,
  lineEndingAt,
  mainLineEnding,
} from '../../files/text-lines.js';
import {endOf, findComments, parseBlocks, startOf, textOf} from '../markdown-document.js';

/**
 * @import {Table} from '../markdown-document.js'
 * @import {ResultsKind} from '../../columns/results-kinds.js'
 */

/**
 * Finds a results table in a markdown text: the first one with the columns of its kind after the marker comment, or in the
 * whole text if there is no marker. A table with other columns belongs to someone else, even right after the marker. Only
 * tables at top level count, not those in quotations and lists.
 *
 * @param {string} markdown
 * @param {ResultsKind} kind
 * @returns {Table | undefined}
 */
export function findResultsTable(markdown, kind) {
  const blocks = parseBlocks(markdown);
  const [marker] = findComments(blocks, kind.marker);
  return blocks
    .slice(marker === undefined ? 0 : blocks.indexOf(marker) + 1)
    .filter((block) => block.type === 'table')
    .find((table) => hasFirstColumns(table, kind));
}

/** @param {Table} table @param {ResultsKind} kind @returns {boolean} */
function hasFirstColumns(table, {firstColumns}) {
  const headers = table.children[0]?.children ?? [];
  return firstColumns.every(
    (column, index) => headers[index] !== undefined && textOf(headers[index]) === column,
  );
}

/**
 * Inserts an empty results table: right after the marker, or with a marker at the end of the text.
 *
 * A fence or comment that is never closed would include everything after it. The table is then inserted before it.
 *
 * @param {string} markdown a text without a results table
 * @param {ResultsKind} kind
 * @returns {string} the text with one
 */
export function insertResultsTable(markdown, {firstColumns, marker: name}) {
  const blocks = parseBlocks(markdown);
  const table = markdownTable([[...firstColumns]]);
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
 * Inserts lines at the start or the end of a line, with the line ending of the text. Adds missing blank lines on either
 * side.
 *
 * @param {string} markdown
 * @param {number} at
 * @param {string} lines
 * @returns {string}
 */
function insertBlock(markdown, at, lines) {
  const before = markdown.slice(0, at);
  const after = markdown.slice(at);
  const lineEnding = mainLineEnding(markdown);
  const own = lines.replaceAll('\n', lineEnding);
  return before + gapBefore(before, lineEnding) + own + gapAfter(after, lineEnding) + after;
}

/** @param {string} before @param {string} lineEnding @returns {string} */
function gapBefore(before, lineEnding) {
  if (isBlankBefore(before)) return '';
  return /[\r\n]$/.test(before) ? lineEnding : lineEnding + lineEnding;
}

/** @param {string} after @param {string} lineEnding @returns {string} */
function gapAfter(after, lineEnding) {
  const ending = lineEndingAt(after, 0);
  if (after === '') return lineEnding;
  if (ending === '') return lineEnding + lineEnding;
  return isBlankAfter(after.slice(ending.length)) ? '' : lineEnding;
}
