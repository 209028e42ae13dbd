import {formatBytes} from '../payload/format-bytes.js';

/**
 * Records as rows of the results table: completed cells of the rtt workload, a row each.
 * @param {readonly import('../results/record-schema.js').CellRecord[]} records
 * @returns {import('./results-table.js').ResultRow[]}
 */
export function resultRows(records) {
  return records
    .filter((record) => record.outcome === 'completed')
    .filter(({workload}) => workload === 'rtt')
    .map((record) => ({
      facilitator: facilitatorOf(record),
      environment: record.environment,
      payloadSize: formatBytes(record.payloadBytes),
      persistent: record.labels.persistent,
      rttMs: {[record.machine]: record.rtt.meanMs},
    }));
}

/**
 * RabbitMQ, with settings that are not the default, and "suspect", in parentheses.
 * @param {Pick<import('../results/record-schema.js').CompletedRecord, 'labels' | 'verdict'>} record
 */
export function facilitatorOf({labels, verdict}) {
  const remarks = [...labels.settings, ...(verdict.status === 'suspect' ? ['suspect'] : [])];
  return remarks.length > 0 ? `${labels.facilitator} (${remarks.join(', ')})` : labels.facilitator;
}
