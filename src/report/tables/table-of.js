import {meanTable, openLoopTable, rateTable} from '../../columns/tables.js';
import {workloads} from '../../workloads/index.js';

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
