import {markdownTable} from 'markdown-table';
import {formatBytes} from '../payload/format-bytes.js';
import {
  formatCpu,
  formatCpuPercent,
  formatFloor,
  formatMean,
  formatMs,
  formatRateMean,
  formatVerdict,
} from './figures.js';
import {facilitatorOf, resultRows, tableOf} from './result-rows.js';
import {tableKindOf} from './table-kinds.js';
import {escapeCell, NOT_AVAILABLE} from './table-row.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * The tables for a README, one for each workload: the newest result of each configuration, machines side by side.
 * @param {readonly CompletedRecord[]} records
 * @returns {string} without a line ending at its end
 */
export function summaryTable(records) {
  const tables = [...new Set(records.map(tableOf))].toSorted(roundTripsFirst);
  return tables
    .map((name) =>
      tableOfKind(
        name,
        records.filter((record) => tableOf(record) === name),
      ),
    )
    .join('\n\n');
}

/** @param {string} one @param {string} other */
function roundTripsFirst(one, other) {
  return Number(other === 'rtt') - Number(one === 'rtt');
}

/** @param {string} name @param {readonly CompletedRecord[]} records */
function tableOfKind(name, records) {
  const kind = tableKindOf(name);
  const machines = [...new Set(records.map(({machine}) => machine))];
  const header = [...kind.firstColumns.slice(1), ...machines.map((machine) => kind.prefix + machine)];
  const rows = [...resultRows(records).values()].flat().map((row) => [
    ...kind.nameOf(row),
    ...machines.map((machine) => {
      const figure = row.figures[machine];
      return figure == null ? NOT_AVAILABLE : kind.format(figure);
    }),
  ]);
  return markdownTable([header, ...rows].map((row) => row.map(escapeCell)));
}

/**
 * Every figure that a row can be defended with.
 * @param {readonly CompletedRecord[]} records
 * @returns {string}
 */
export function detailTable(records) {
  const header = [
    ...['Workload', 'Facilitator', 'Persistent', 'Environment', 'Machine', 'Payload Size'],
    ...['Mean ± 95 % (ms)', 'min', 'p50', 'p90', 'p99', 'p99.9', 'max', 'n', 'trials'],
    ...['msgs/s ± 95 %', 'CPU µs/msg', 'CPU % client / server / broker', '× floor', 'Verdict'],
  ];
  const rows = records.map((record) => {
    const {rtt} = record;
    const distribution = rtt
      ? [
          formatMean(rtt),
          ...[rtt.minMs, rtt.p50Ms, rtt.p90Ms, rtt.p99Ms, rtt.p999Ms, rtt.maxMs].map(formatMs),
          String(rtt.samples),
        ]
      : [...Array(7).fill(NOT_AVAILABLE), String(record.counts.received)];
    return [
      tableOf(record),
      facilitatorOf({...record, verdict: {status: 'valid', warnings: []}}),
      record.labels.persistent,
      record.environment,
      record.machine,
      formatBytes(record.payloadBytes),
      ...distribution,
      String(record.trials.filter(({used}) => used).length),
      formatRateMean(record.throughput),
      formatCpu(record),
      formatCpuPercent(record),
      formatFloor(record.floor),
      formatVerdict(record.verdict),
    ];
  });
  return markdownTable([header, ...rows].map((row) => row.map(escapeCell)));
}
