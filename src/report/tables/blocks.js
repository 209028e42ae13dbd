import {groupBy} from '../../stats/group-by.js';
import {timePerMessage} from '../../stats/time-per-message.js';
import {tableOf} from './table-of.js';

/**
 * @import {Table} from '../../columns/tables.js'
 * @import {CompletedRecord} from '../../results/record-schema.js'
 */

/**
 * Groups the records by the table that their workload declares for them, and within it by payload size.
 * @param {readonly CompletedRecord[]} records
 * @returns {{table: Table, blocks: CompletedRecord[][]}[]} the fastest of each block first; an open loop in the order of its rates
 */
export function blocksOf(records) {
  return [...groupBy(records, tableOf)].map(([table, cells]) => ({
    table,
    blocks: [...groupBy(cells, ({payloadBytes}) => payloadBytes).values()].map((block) =>
      block.sort(bySpeed),
    ),
  }));
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
