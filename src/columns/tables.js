import {cpu, floor, mean, megabytes, p50, p99, plainRate, rate, standing, summedRate} from './columns.js';
import {formatMs, formatRate} from './figures.js';
import {messageRates} from './results-kinds.js';

/**
 * @import {Column} from './column.js'
 * @import {ResultsKind} from './results-kinds.js'
 */

/**
 * How the records of a workload are shown.
 *
 * @typedef {object} Table
 * @property {string} name in results.md and in `table --detail`
 * @property {string} title above the table on a terminal
 * @property {readonly Column[]} columns on a terminal
 * @property {ResultsKind} results the kind of its table in results.md
 * @property {boolean} [isInParts] the phases of a record are shown, and its whole is not: they come one after the other, and a rate over
 *   both says nothing. Otherwise a phase is timed beside the whole, and both are shown
 */

/** What a workload can do at a fixed rate: columns of an open loop. @type {readonly Column[]} */
const openLoopColumns = [
  {heading: 'offered/s', cell: ({openLoop}) => formatRate(openLoop?.offeredPerSecond ?? 0)},
  {
    heading: 'achieved/s',
    cell: ({openLoop}) =>
      `${formatRate(openLoop?.achievedPerSecond ?? 0)}${openLoop?.keepsUp ? '' : ' ◄ knee'}`,
  },
  {heading: 'response p50', cell: ({rtt}) => formatMs(rtt?.p50Ms ?? null)},
  {heading: 'p99', cell: ({rtt}) => formatMs(rtt?.p99Ms ?? null)},
  {heading: 'max', cell: ({rtt}) => formatMs(rtt?.maxMs ?? null)},
  {heading: 'service p50', cell: ({latencies}) => formatMs(latencies.service?.p50Ms ?? null)},
  {heading: 'p99', cell: ({latencies}) => formatMs(latencies.service?.p99Ms ?? null)},
  {heading: 'send lag p99', cell: ({latencies}) => formatMs(latencies.sendLag?.p99Ms ?? null)},
];

/**
 * Messages at a fixed rate: response times beside service times.
 * @param {string} workload
 * @returns {Table}
 */
export function openLoopTable(workload) {
  return {
    name: `${workload}-open-loop`,
    title: `Open loop (${workload}): response and service times in ms`,
    columns: openLoopColumns,
    results: messageRates(`${workload}-open-loop`),
  };
}

/**
 * Workloads that are compared by messages per second.
 * @param {string} workload
 * @param {{senderColumns?: readonly Column[], hasLatency: boolean}} more senderColumns: beside the rate
 * @returns {Table}
 */
export function rateTable(workload, {senderColumns = [], hasLatency}) {
  const latencies = hasLatency ? [p50, p99] : [];
  return {
    name: workload,
    title: `Messages per second ± 95 % interval (${workload})`,
    columns: [rate, ...senderColumns, summedRate, standing, megabytes, ...latencies, floor, cpu],
    results: messageRates(workload),
  };
}

/**
 * Workloads that are compared by their mean time.
 * @param {string} workload
 * @param {{what?: string, results?: ResultsKind}} [more]
 * @returns {Table}
 */
export function meanTable(
  workload,
  {what = `Mean times (${workload})`, results = messageRates(workload)} = {},
) {
  return {
    name: workload,
    title: `${what} in ms ± 95 % interval`,
    columns: [mean, standing, p50, p99, floor, plainRate, summedRate, cpu],
    results,
  };
}
