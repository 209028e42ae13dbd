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
 * Returns the content of the tables of records, for all output formats.
 * @param {readonly CompletedRecord[]} records @param {string} floor the transport that the others are compared with @returns {ShownTable[]}
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
 * Groups the records by the table that their workload declares, and within a table by payload size.
 * @param {readonly CompletedRecord[]} records
 * @returns {{table: Table, blocks: CompletedRecord[][]}[]} the fastest of each block first; at one rate the lowest p99; at several, each transport in
 *   the order of its rates
 */
export function blocksOf(records) {
  return [...groupBy(records, tableOf)].map(([table, cells]) => ({
    table,
    blocks: [...groupBy(cells, ({payloadBytes}) => payloadBytes).values()].map((block) =>
      block.sort(isOfOneRate(block) ? byResponseTime : bySpeed),
    ),
  }));
}

/** @param {readonly CompletedRecord[]} block */
function isOfOneRate(block) {
  const rates = new Set(block.map(({openLoop}) => openLoop?.offeredPerSecond ?? null));
  return rates.size === 1 && !rates.has(null);
}

/**
 * Cells that fell behind come last, because their times grow with the length of the run.
 * @param {CompletedRecord} one @param {CompletedRecord} other
 */
function byResponseTime(one, other) {
  const fellBehind = (/** @type {CompletedRecord} */ {openLoop}) => Number(!openLoop?.keepsUp);
  return fellBehind(one) - fellBehind(other) || p99Of(one) - p99Of(other) || byName(one, other);
}

/** The p99, or Number.MAX_VALUE if it is unknown. @param {CompletedRecord} record */
function p99Of({rtt}) {
  return rtt?.p99Ms ?? Number.MAX_VALUE;
}

/** @param {CompletedRecord} one @param {CompletedRecord} other */
function byName(one, other) {
  return nameOfTransport(one).localeCompare(nameOfTransport(other));
}

/** @param {CompletedRecord} one @param {CompletedRecord} other */
function bySpeed(one, other) {
  if (one.openLoop && other.openLoop) {
    return byName(one, other) || one.openLoop.offeredPerSecond - other.openLoop.offeredPerSecond;
  }
  return timePerMessage(one).meanMs - timePerMessage(other).meanMs;
}

/** @param {CompletedRecord} record */
function nameOfTransport({labels: {facilitator, qualifier}}) {
  return `${facilitator} ${qualifier}`;
}

/**
 * Compares each cell of a block with the fastest transport of the block. Old records hold no comparison, so their ratios have no interval.
 * A cell of another battle than the fastest is not compared, because the host may have changed.
 * @param {readonly CompletedRecord[]} block the fastest first @param {string} floor the transport that the others are compared with
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

/** @param {Pick<CompletedRecord, 'id' | 'vsFastest'>} record @returns {Standing} null if the record does not hold a comparison */
export function standingOf({id, vsFastest}) {
  return vsFastest?.id === id ? 'fastest' : vsFastest;
}

/**
 * Returns the table that the workload of a record declares. A journal may have records of an unknown workload. The figure that an unknown
 * workload is compared by decides its table.
 * @param {Pick<CompletedRecord, 'workload' | 'comparedBy' | 'openLoop' | 'phases'>} record
 */
export function tableOf(record) {
  return workloads[record.workload]?.table(record) ?? unknownTable(record);
}

const unknownKinds = {
  open: openLoopTable,
  rate: (/** @type {string} */ workload) => rateTable(workload, {hasLatency: true}),
  latency: (/** @type {string} */ workload) => meanTable(workload),
};

/** By workload and kind. @type {Map<string, Table>} */
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
