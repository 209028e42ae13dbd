import {markdownTable} from 'markdown-table';
import {endOf, findComments, parseBlocks, startOf, textOf} from './markdown-document.js';
import {
  indentStart,
  isBlankAfter,
  isBlankBefore,
  lineEndAfter,
  lineEndingAt,
  usualLineEnding,
} from './text-lines.js';

/** @typedef {import('./markdown-document.js').Table} Table */

const MARKER = 'perf-battle:results';
const FIRST_COLUMNS = ['Id', 'Facilitator', 'Environment', 'Payload Size', 'Persistent'];

/** @type {string[]} the columns of a new table */
const COLUMNS = [...FIRST_COLUMNS, 'RTT t2.micro', 'RTT m4.xlarge'];

/**
 * Finds the results table of a markdown text: the first one with the five columns of FIRST_COLUMNS after the marker
 * comment, or in the whole text when it has no marker. A table with other columns is not ours, even right after the
 * marker. Only tables at top level count: those in quotations and lists are shown, not kept.
 *
 * @param {string} markdown
 * @returns {Table | undefined}
 */
export function findResultsTable(markdown) {
  const blocks = parseBlocks(markdown);
  const [marker] = findComments(blocks, MARKER);
  return blocks
    .slice(marker === undefined ? 0 : blocks.indexOf(marker) + 1)
    .filter((block) => block.type === 'table')
    .find(hasFirstColumns);
}

/** @param {Table} table @returns {boolean} */
function hasFirstColumns(table) {
  const headers = table.children[0]?.children ?? [];
  return FIRST_COLUMNS.every(
    (column, index) => headers[index] !== undefined && textOf(headers[index]) === column,
  );
}

/**
 * Inserts an empty results table: right after the marker, or with a marker at the end of the text.
 *
 * A fence or a comment that is never closed reaches to the end of the text and would swallow what follows it. The
 * table then goes before it.
 *
 * @param {string} markdown a text without a results table
 * @returns {string} the text with one
 */
export function insertResultsTable(markdown) {
  const blocks = parseBlocks(markdown);
  const table = markdownTable([COLUMNS]);
  const [marker] = findComments(blocks, MARKER);
  if (marker !== undefined) return insertBlock(markdown, lineEndAfter(markdown, endOf(marker)), table);

  const markedTable = `<!-- ${MARKER} -->\n\n${table}`;
  const atEnd = insertBlock(markdown, markdown.length, markedTable);
  const isSwallowed = findComments(parseBlocks(atEnd), MARKER).length === 0;
  const last = blocks.at(-1);
  return isSwallowed && last
    ? insertBlock(markdown, indentStart(markdown, startOf(last)), markedTable)
    : atEnd;
}

/**
 * Inserts lines at the start or the end of a line, with a blank line on either side where none is, and with the
 * line ending of the text.
 *
 * @param {string} markdown
 * @param {number} at
 * @param {string} lines
 * @returns {string}
 */
function insertBlock(markdown, at, lines) {
  const before = markdown.slice(0, at);
  const after = markdown.slice(at);
  const lineEnding = usualLineEnding(markdown);
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
