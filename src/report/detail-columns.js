import {
  formatCpu,
  formatCpuPercent,
  formatFloor,
  formatMean,
  formatMs,
  formatRateMean,
  formatVerdict,
} from '../columns/figures.js';
import {formatBytes} from '../payload/format-bytes.js';
import {facilitatorOf} from './result-rows.js';
import {tableOf} from './table-of.js';
import {NOT_AVAILABLE} from './table-row.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/** The columns of `table --detail`. @type {readonly {heading: string, cell: (record: CompletedRecord) => string}[]} */
export const detailColumns = [
  {heading: 'Workload', cell: (record) => tableOf(record).name},
  {
    heading: 'Facilitator',
    cell: (record) => facilitatorOf({...record, verdict: {status: 'valid', warnings: []}}),
  },
  {heading: 'Persistent', cell: ({labels}) => labels.persistent},
  {heading: 'Environment', cell: ({environment}) => environment},
  {heading: 'Machine', cell: ({machine}) => machine},
  {heading: 'Payload Size', cell: ({payloadBytes}) => formatBytes(payloadBytes)},
  {heading: 'Mean ± 95 % (ms)', cell: ({rtt}) => (rtt ? formatMean(rtt) : NOT_AVAILABLE)},
  latency('min', 'minMs'),
  latency('p50', 'p50Ms'),
  latency('p90', 'p90Ms'),
  latency('p99', 'p99Ms'),
  latency('p99.9', 'p999Ms'),
  latency('max', 'maxMs'),
  {heading: 'n', cell: ({rtt, counts}) => String(rtt?.samples ?? counts.received)},
  {heading: 'trials', cell: ({trials}) => String(trials.filter(({used}) => used).length)},
  {heading: 'msgs/s ± 95 %', cell: ({throughput}) => formatRateMean(throughput)},
  {heading: 'CPU µs/msg', cell: formatCpu},
  {heading: 'CPU % client / server / broker', cell: formatCpuPercent},
  {heading: '× floor', cell: ({floor}) => formatFloor(floor)},
  {heading: 'Verdict', cell: ({verdict}) => formatVerdict(verdict)},
];

/**
 * @param {string} heading
 * @param {'minMs' | 'p50Ms' | 'p90Ms' | 'p99Ms' | 'p999Ms' | 'maxMs'} field
 */
function latency(heading, field) {
  return {
    heading,
    cell: (/** @type {CompletedRecord} */ {rtt}) => (rtt ? formatMs(rtt[field]) : NOT_AVAILABLE),
  };
}
