import {cpu, floor, mean, megabytes, p50, p99, plainRate, rate, standing, summedRate} from './columns.js';
import {formatMs, formatRate} from './figures.js';
import {messageRates} from './results-kinds.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {OpenLoopDistributions} from '../results/trial.js'
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
 * @property {boolean} [isInParts] shows the phases of a record in place of the whole. They follow each other, so a rate over both is
 *   meaningless. Otherwise a phase is timed beside the whole, and both are shown
 */

/** The columns of an open loop. @type {readonly Column[]} */
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
  {heading: 'service p50', cell: ({latencies}) => formatMs(ofOpenLoop(latencies).service?.p50Ms ?? null)},
  {heading: 'p99', cell: ({latencies}) => formatMs(ofOpenLoop(latencies).service?.p99Ms ?? null)},
  {heading: 'send lag p99', cell: ({latencies}) => formatMs(ofOpenLoop(latencies).sendLag?.p99Ms ?? null)},
];

/** @param {Partial<OpenLoopDistributions<CompletedRecord['latencies'][string]>>} latencies */
function ofOpenLoop(latencies) {
  return latencies;
}

/**
 * The table of an open loop: response times beside service times.
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
 * The table of a workload that is compared by messages per second.
 * @param {string} workload
 * @param {{senderColumns?: readonly Column[], hasLatency: boolean}} more senderColumns: right after the rate
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
 * The table of a workload that is compared by its mean time.
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
