import {formatBytes} from '../payload/format-bytes.js';
import {isShownInParts} from './parts.js';

/**
 * Records as rows of the results tables, by workload: completed cells, a row each, and one for each part that is timed apart. An open
 * loop's response times are no round-trip times of the closed loop: its rows have a table of their own.
 *
 * @param {readonly import('../results/record-schema.js').CellRecord[]} records
 * @returns {Map<string, import('./results-table.js').ResultRow[]>}
 */
export function resultRows(records) {
  /** @type {Map<string, import('./results-table.js').ResultRow[]>} */
  const byTable = new Map();
  for (const record of records) {
    if (record.outcome !== 'completed') continue;
    const table = tableOf(record);
    byTable.set(table, [...(byTable.get(table) ?? []), ...rowsOf(record)]);
  }
  return byTable;
}

/**
 * Which table a record belongs to.
 * @param {Pick<import('../results/record-schema.js').CompletedRecord, 'workload' | 'openLoop'>} record
 */
export function tableOf({workload, openLoop}) {
  return openLoop ? `${workload}-open-loop` : workload;
}

/** @param {import('../results/record-schema.js').CompletedRecord} record @returns {import('./results-table.js').ResultRow[]} */
function rowsOf(record) {
  const {environment, labels, machine, payloadBytes, phases, rtt, throughput, workload} = record;
  const row = {
    facilitator: facilitatorOf(record),
    environment,
    payloadSize: formatBytes(payloadBytes),
    persistent: labels.persistent,
  };
  const parts = Object.entries(phases).map(([name, {messagesPerSecond}]) => ({
    ...row,
    workload: `${workload}: ${name}`,
    figures: {[machine]: messagesPerSecond},
  }));
  if (isShownInParts(record)) return parts;
  const isRoundTrip = tableOf(record) === 'rtt' && rtt;
  const figure = isRoundTrip ? rtt.meanMs : throughput.messagesPerSecond;
  return [{...row, workload, figures: {[machine]: figure}}, ...parts];
}

/**
 * RabbitMQ, with settings that are not the default, and "suspect", in parentheses.
 * @param {Pick<import('../results/record-schema.js').CompletedRecord, 'labels' | 'verdict'>} record
 */
export function facilitatorOf({labels, verdict}) {
  const remarks = [...labels.settings, ...(verdict.status === 'suspect' ? ['suspect'] : [])];
  return remarks.length > 0 ? `${labels.facilitator} (${remarks.join(', ')})` : labels.facilitator;
}
