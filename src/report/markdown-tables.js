import {markdownTable} from 'markdown-table';
import {formatBytes} from '../payload/format-bytes.js';
import {formatCpu, formatFloor, formatMean, formatMs, formatRate, formatVerdict} from './figures.js';
import {configurationOf} from './newest-records.js';
import {facilitatorOf} from './result-rows.js';
import {escapeCell, NOT_AVAILABLE} from './table-row.js';

/** @typedef {import('../results/record-schema.js').CompletedRecord} CompletedRecord */

/**
 * The table for a README: the newest result of each configuration, machines side by side.
 * @param {readonly CompletedRecord[]} records
 * @returns {string} without a line ending at its end
 */
export function summaryTable(records) {
  const machines = [...new Set(records.map(({machine}) => machine))];
  const header = [
    'Facilitator',
    'Environment',
    'Payload Size',
    'Persistent',
    ...machines.map((name) => `RTT ${name}`),
  ];
  const rows = groupByConfiguration(records).map((group) => [
    group.map(facilitatorOf).toSorted((one, other) => other.length - one.length)[0],
    group[0].environment,
    formatBytes(group[0].payloadBytes),
    group[0].labels.persistent,
    ...machines.map((name) => rttOn(name, group)),
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
    ...[
      'Facilitator',
      'Persistent',
      'Environment',
      'Machine',
      'Payload Size',
      'Mean ± 95 % (ms)',
      'min',
      'p50',
      'p90',
      'p99',
      'p99.9',
      'max',
    ],
    ...['n', 'trials', 'msgs/s', 'CPU µs/msg', '× floor', 'Verdict'],
  ];
  const rows = records.map((record) => {
    const {rtt} = record;
    return [
      facilitatorOf({labels: record.labels, verdict: {status: 'valid', warnings: []}}),
      record.labels.persistent,
      record.environment,
      record.machine,
      formatBytes(record.payloadBytes),
      formatMean(rtt),
      ...[rtt.minMs, rtt.p50Ms, rtt.p90Ms, rtt.p99Ms, rtt.p999Ms, rtt.maxMs].map(formatMs),
      String(rtt.samples),
      String(record.trials.filter(({used}) => used).length),
      formatRate(record.throughput.messagesPerSecond),
      formatCpu(record),
      formatFloor(record.floor),
      formatVerdict(record.verdict),
    ];
  });
  return markdownTable([header, ...rows].map((row) => row.map(escapeCell)));
}

/** @param {readonly CompletedRecord[]} records */
function groupByConfiguration(records) {
  /** @type {Map<string, CompletedRecord[]>} */
  const groups = new Map();
  for (const record of records) {
    const key = configurationOf(record);
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()];
}

/** @param {string} machine @param {readonly CompletedRecord[]} group */
function rttOn(machine, group) {
  const record = group.find((candidate) => candidate.machine === machine);
  return record ? `${formatMs(record.rtt.meanMs)} ms` : NOT_AVAILABLE;
}
