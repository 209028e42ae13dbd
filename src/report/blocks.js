import {timePerMessage} from '../stats/time-per-message.js';
import {tableOf} from './table-of.js';

/**
 * @import {Table} from '../columns/tables.js'
 * @import {CompletedRecord} from '../results/record-schema.js'
 */

/**
 * Groups the records by the table that their workload declares for them, and within it by payload size.
 * @param {readonly CompletedRecord[]} records
 * @returns {{table: Table, blocks: CompletedRecord[][]}[]} the fastest of each block first; an open loop in the order of its rates
 */
export function blocksOf(records) {
  /** @type {Map<Table, CompletedRecord[]>} */
  const sections = new Map();
  for (const record of records) {
    const table = tableOf(record);
    sections.set(table, [...(sections.get(table) ?? []), record]);
  }
  return [...sections].map(([table, cells]) => ({table, blocks: groupByPayload(cells)}));
}

/** @param {readonly CompletedRecord[]} records @returns {CompletedRecord[][]} */
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
