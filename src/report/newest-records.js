/**
 * The newest completed record of each configuration: the same variant, workload, payload, environment and machine.
 * @param {readonly import('../results/record-schema.js').CellRecord[]} records in the order of the journal
 * @returns {import('../results/record-schema.js').CompletedRecord[]} by payload, then as planned
 */
export function newestRecords(records) {
  /** @type {Map<string, import('../results/record-schema.js').CompletedRecord>} */
  const newest = new Map();
  for (const record of records) {
    if (record.outcome === 'completed') newest.set(`${configurationOf(record)} on ${record.machine}`, record);
  }
  return [...newest.values()].sort(
    (one, other) =>
      one.workload.localeCompare(other.workload) ||
      one.payloadBytes - other.payloadBytes ||
      planOrder(one, other),
  );
}

/**
 * What stands in one row of a table: machines are columns, so they do not count. What only the running process knew, such
 * as who masked, does.
 * @param {import('../results/record-schema.js').CompletedRecord} record
 */
export function configurationOf({transport, variant, workload, payloadBytes, environment}) {
  return JSON.stringify([environment, workload, payloadBytes, transport, Object.entries(variant).sort()]);
}

/**
 * @param {import('../results/record-schema.js').CompletedRecord} one
 * @param {import('../results/record-schema.js').CompletedRecord} other
 */
function planOrder(one, other) {
  return cellNumber(one.id) - cellNumber(other.id);
}

/** A cell's id ends in its number in the plan. @param {string} id */
function cellNumber(id) {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
