import {meanTable, openLoopTable, rateTable} from '../../columns/tables.js';
import {workloads} from '../../workloads/index.js';
import {plainText} from '../terminal.js';

/**
 * @import {Table} from '../../columns/tables.js'
 * @import {CompletedRecord} from '../../results/record-schema.js'
 */

/**
 * The table of a record, as its workload declares it. A journal may have records of a workload that this version does not know. Their table
 * follows from the figure that they are compared by.
 *
 * @param {Pick<CompletedRecord, 'workload' | 'comparedBy' | 'openLoop' | 'phases'>} record
 * @returns {Table}
 */
export function tableOf(record) {
  return workloads[record.workload]?.table(record) ?? unknownTable(record);
}

const unknownKinds = {
  open: openLoopTable,
  rate: (/** @type {string} */ workload) => rateTable(workload, {hasLatency: true}),
  latency: (/** @type {string} */ workload) => meanTable(workload),
};

/** By workload, loop and figure. @type {Map<string, Table>} */
const unknownTables = new Map();

/** @param {Pick<CompletedRecord, 'workload' | 'comparedBy' | 'openLoop'>} record */
function unknownTable({workload, comparedBy, openLoop}) {
  const kind = openLoop ? 'open' : comparedBy === 'rate' ? 'rate' : 'latency';
  const key = `${workload} ${kind}`;
  const known = unknownTables.get(key);
  if (known) return known;
  const table = unknownKinds[kind](workload);
  unknownTables.set(key, table);
  return table;
}

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
