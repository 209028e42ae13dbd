import {timePerMessage} from '../../results/comparable.js';
import {groupBy} from '../../stats/numbers.js';
import {tableOf} from './table-of.js';

/**
 * @import {Table} from '../../columns/tables.js'
 * @import {CompletedRecord} from '../../results/record-schema.js'
 * @import {Standing} from '../../columns/column.js'
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

/**
 * How each cell of a block compares with its fastest transport. Old records hold no comparison, so theirs has no interval. What was measured in
 * another battle than the fastest cannot be compared with it, because the host was another one then.
 *
 * @param {readonly CompletedRecord[]} block the fastest first
 * @param {string} floor the transport that the others are compared with
 * @returns {Map<CompletedRecord, Standing>}
 */
export function standingsIn(block, floor) {
  const fastest = block.find(({transport}) => transport !== floor);
  const isOfSeveral = new Set(block.map(({battleId}) => battleId)).size > 1;
  const isThere = (/** @type {CompletedRecord} */ {vsFastest, battleId}) =>
    battleId === fastest?.battleId && (!vsFastest || block.some(({id}) => id === vsFastest.id));
  return new Map(
    block.map((record) => {
      if (record.transport === floor) return [record, 'floor'];
      if (isOfSeveral && !isThere(record)) return [record, null];
      if (record.vsFastest) return [record, standingOf(record)];
      if (!fastest || record === fastest) return [record, 'fastest'];
      const ratio = timePerMessage(record).meanMs / timePerMessage(fastest).meanMs;
      return [record, Number.isFinite(ratio) ? {ratio} : null];
    }),
  );
}

/**
 * How a cell compares with the fastest transport of its battle.
 * @param {Pick<CompletedRecord, 'id' | 'vsFastest'>} record
 * @returns {Standing} null if the record does not hold it
 */
export function standingOf({id, vsFastest}) {
  return vsFastest?.id === id ? 'fastest' : vsFastest;
}
