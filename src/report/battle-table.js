import {styleText} from 'node:util';
import Table from 'cli-table3';
import {nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/format-bytes.js';
import {timePerMessage} from '../stats/time-per-message.js';
import {battleNotes} from './battle-notes.js';
import {tableOf} from './table-of.js';

/**
 * @import {Column} from '../columns/column.js'
 * @import {Table as TableDeclaration} from '../columns/tables.js'
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 */

/**
 * Prints the tables of a battle on a terminal: one for each workload, with a block for each payload and the fastest transport first. Notes
 * on failed and suspect cells follow.
 *
 * @param {readonly CellRecord[]} records of one battle
 * @param {{machine: string, environment: string, floor: string, notes?: readonly string[]}} battle floor: the transport that the others
 *   are compared with; notes: lines on the transports that took part
 * @param {NodeJS.WriteStream} stream
 */
export function printTable(records, battle, stream) {
  const paint = painter(stream);
  const completed = records.filter((record) => record.outcome === 'completed');
  for (const [{title, columns}, cells] of sectionsOf(completed)) {
    const shown = columns.filter(({isShown}) => isShown?.(cells) ?? true);
    stream.write(`\n${title}, ${battle.environment}, ${battle.machine}\n`);
    stream.write(`${makeTable(cells, {columns: shown, floor: battle.floor}, paint)}\n`);
  }
  for (const line of battleNotes(records, completed, battle.notes)) stream.write(`${line}\n`);
}

/** @typedef {(format: 'green' | 'yellow' | 'bold' | 'dim', text: string) => string} Paint */

/** Uses colours only on a terminal that supports them. @param {NodeJS.WriteStream} stream @returns {Paint} */
function painter(stream) {
  const colours = stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return (format, text) => (colours ? styleText(format, text) : text);
}

/**
 * Groups the records by the table that their workload declares for them.
 * @param {readonly CompletedRecord[]} records
 */
function sectionsOf(records) {
  /** @type {Map<TableDeclaration, CompletedRecord[]>} */
  const sections = new Map();
  for (const record of records) {
    const table = tableOf(record);
    sections.set(table, [...(sections.get(table) ?? []), record]);
  }
  return sections;
}

/**
 * @param {readonly CompletedRecord[]} records
 * @param {{columns: readonly Column[], floor: string}} shown
 * @param {Paint} paint
 */
function makeTable(records, {columns, floor}, paint) {
  const table = new Table({
    head: ['Payload', 'Transport', ...columns.map(({heading}) => heading), 'Verdict'],
    chars: borders,
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': 2, compact: true},
    colAligns: ['left', 'left', ...columns.map(() => /** @type {const} */ ('right')), 'left'],
  });
  const width = columns.length + 3;
  for (const block of groupByPayload(records)) {
    if (table.length > 0) table.push(Array(width).fill(''));
    table.push(...blockRows(block, {columns, floor}, paint));
  }
  return table.toString().replace(/ +$/gm, '');
}

const borders = {
  ...{
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
  },
  ...{left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: ''},
};

/** @param {readonly CompletedRecord[]} records @returns {CompletedRecord[][]} the fastest of each payload first; an open loop in the order of its rates */
function groupByPayload(records) {
  /** @type {Map<number, CompletedRecord[]>} */
  const blocks = new Map();
  for (const record of records) {
    blocks.set(record.payloadBytes, [...(blocks.get(record.payloadBytes) ?? []), record]);
  }
  return [...blocks.values()].map((block) => block.sort(bySpeed));
}

/** @param {CompletedRecord} one @param {CompletedRecord} other */
function bySpeed(one, other) {
  if (one.openLoop && other.openLoop) {
    const byTransport = nameOfTransport(one).localeCompare(nameOfTransport(other));
    return byTransport || one.openLoop.offeredPerSecond - other.openLoop.offeredPerSecond;
  }
  return timePerMessage(one).meanMs - timePerMessage(other).meanMs;
}

/** @param {CompletedRecord} record */
function nameOfTransport({labels: {facilitator, qualifier}}) {
  return `${facilitator} ${qualifier}`;
}

/**
 * @param {readonly CompletedRecord[]} block
 * @param {{columns: readonly Column[], floor: string}} shown
 * @param {Paint} paint
 */
function blockRows(block, {columns, floor}, paint) {
  return block.map((record, index) => {
    const standing = record.transport === floor ? 'floor' : standingOf(record);
    return [
      index === 0 ? paint('bold', formatBytes(record.payloadBytes)) : '',
      nameOfVariant(record.labels),
      ...columns.map(({cell}) => {
        const text = cell(record, standing);
        return text === 'fastest' ? paint('green', text) : text;
      }),
      record.verdict.status === 'valid' ? 'valid' : paint('yellow', record.verdict.status),
    ];
  });
}

/**
 * How a cell compares with the fastest transport. Without an interval of the ratio nothing is shown.
 * @param {CompletedRecord} record
 */
function standingOf({id, vsFastest}) {
  if (!vsFastest) return 'n/a';
  if (vsFastest.id === id) return 'fastest';
  if (vsFastest.ratioCi95 === null) return 'n/a';
  if (vsFastest.difference === 'no difference shown') return 'not shown';
  const more = vsFastest.ratio - 1;
  return more >= 1 ? `${vsFastest.ratio.toFixed(1)}×` : `+${(more * 100).toFixed(0)} %`;
}
