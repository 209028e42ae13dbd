import {meanTable, openLoopTable, rateTable} from '../../columns/tables.js';
import {timePerMessage} from '../../results/comparable.js';
import {groupBy} from '../../stats/numbers.js';
import {workloads} from '../../workloads/index.js';

/**
 * @import {Standing, Table} from '../../columns/column.js'
 * @import {CompletedRecord} from '../../results/record-schema.js'
 * @import {ShownTable} from '../types.js'
 */

/**
 * What the tables of records show, wherever they are written.
 * @param {readonly CompletedRecord[]} records @param {string} floor the transport that the others are compared with
 * @returns {ShownTable[]}
 */
export function shownTables(records, floor) {
  return blocksOf(records).map(({table, blocks}) => {
    const all = blocks.flat();
    return {
      table,
      records: all,
      columns: table.columns.filter(({isShown}) => isShown?.(all) ?? true),
      blocks: blocks.map((block) => ({
        payloadBytes: block[0].payloadBytes,
        sentences: table.summarize(block, ({transport}) => transport === floor),
        rows: [...standingsIn(block, floor)],
      })),
    };
  });
}

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
 * @param {readonly CompletedRecord[]} block the fastest first
 * @param {string} floor the transport that the others are compared with
 * @returns {Map<CompletedRecord, Standing>}
 */
function standingsIn(block, floor) {
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
 * @param {Pick<CompletedRecord, 'id' | 'vsFastest'>} record @returns {Standing} null if the record does not hold it
 */
export function standingOf({id, vsFastest}) {
  return vsFastest?.id === id ? 'fastest' : vsFastest;
}

/**
 * The table of a record, as its workload declares it. A journal may have records of a workload that this version does not know. Their table
 * follows from the figure that they are compared by.
 * @param {Pick<CompletedRecord, 'workload' | 'comparedBy' | 'openLoop' | 'phases'>} record @returns {Table}
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
