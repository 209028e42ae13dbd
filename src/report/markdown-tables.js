import {markdownTable} from 'markdown-table';
import {
  formatCpu,
  formatCpuPercent,
  formatFloor,
  formatMean,
  formatMs,
  formatRateMean,
  formatVerdict,
} from '../columns/figures.js';
import {meanRoundTrips} from '../columns/results-kinds.js';
import {formatBytes} from '../payload/format-bytes.js';
import {facilitatorOf, resultRows} from './result-rows.js';
import {tableOf} from './table-of.js';
import {escapeCell, NOT_AVAILABLE} from './table-row.js';

/**
 * @import {ResultRow, ResultsKind} from '../columns/results-kinds.js'
 * @import {CompletedRecord} from '../results/record-schema.js'
 */

/**
 * The tables for a README, one for each workload: the newest result of each configuration, machines side by side.
 * @param {readonly CompletedRecord[]} records
 * @returns {string} without a line ending at its end
 */
export function summaryTable(records) {
  return [...resultRows(records)]
    .toSorted(([, {kind: one}], [, {kind: other}]) => roundTripsFirst(one, other))
    .map(([name, {kind, rows}]) =>
      tableOfKind(kind, {
        rows,
        machines: [...new Set(records.filter((r) => tableOf(r).name === name).map(({machine}) => machine))],
      }),
    )
    .join('\n\n');
}

/** @param {ResultsKind} one @param {ResultsKind} other */
function roundTripsFirst(one, other) {
  return Number(other === meanRoundTrips) - Number(one === meanRoundTrips);
}

/** @param {ResultsKind} kind @param {{rows: readonly ResultRow[], machines: readonly string[]}} shown */
function tableOfKind(kind, {rows, machines}) {
  const header = [...kind.firstColumns.slice(1), ...machines.map((machine) => kind.prefix + machine)];
  const lines = rows.map((row) => [
    ...kind.nameOf(row),
    ...machines.map((machine) => {
      const figure = row.figures[machine];
      return figure == null ? NOT_AVAILABLE : kind.format(figure);
    }),
  ]);
  return markdownTable([header, ...lines].map((cells) => cells.map(escapeCell)));
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
      tableOf(record).name,
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
