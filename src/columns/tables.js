import {
  compareCells,
  cpu,
  floor,
  guarantee,
  listOverloaded,
  max,
  mean,
  megabytes,
  p50,
  p99,
  plainRate,
  rate,
  standing,
  summedRate,
} from './columns.js';
import {
  formatMean,
  formatMs,
  formatMsWithEnds,
  formatPercentile,
  formatRate,
  formatRateMean,
  formatShortMs,
  formatShortRate,
} from './figures.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {OpenLoopDistributions} from '../results/types.js'
 * @import {Column, Compared, Interval, ResultsKind, Summarize, Table} from './column.js'
 */

/** @typedef {Partial<OpenLoopDistributions<CompletedRecord['latencies'][string]>>} Distributions */

/** In an open loop, the latency is the response time. @type {readonly Column[]} */
const openLoopColumns = [
  {
    heading: 'offered/s',
    priority: 5,
    cell: ({openLoop}) => formatRate(openLoop?.offeredPerSecond ?? 0),
  },
  {
    heading: 'achieved/s',
    priority: 0,
    cell: ({openLoop}) =>
      `${formatRate(openLoop?.achievedPerSecond ?? 0)}${openLoop?.keepsUp ? '' : ' ◄ knee'}`,
  },
  guarantee,
  p50,
  {...p99, priority: 2},
  {...max, priority: 4},
  ofLatency('service p50', ['service', 'p50Ms'], 7),
  ofLatency('service p99', ['service', 'p99Ms'], 6),
  ofLatency('lag p99', ['sendLag', 'p99Ms'], 3),
];

/** @param {string} heading @param {[keyof Distributions, 'p50Ms' | 'p99Ms']} figure @param {number} priority @returns {Column} */
function ofLatency(heading, [name, field], priority) {
  const latency = (/** @type {Distributions} */ {[name]: one}) => one;
  return {
    heading,
    priority,
    cell: ({latencies}) => {
      const [value, interval] = withInterval(latency(latencies), field);
      return formatPercentile(value, {interval, maxMs: latency(latencies)?.maxMs});
    },
    inDetail: {heading, cell: ({latencies}) => formatMsWithEnds(...withInterval(latency(latencies), field))},
  };
}

/**
 * @param {Distributions['service'] | undefined} latency @param {'p50Ms' | 'p99Ms'} field
 * @returns {[number | null, Interval | null]} the percentile in ms and its interval
 */
function withInterval(latency, field) {
  return [latency?.[field] ?? null, latency?.ci95?.[field] ?? null];
}

/** The table of an open loop shows response times and service times. @param {string} workload @returns {Table} */
export function openLoopTable(workload) {
  return {
    name: `${workload}-open-loop`,
    title: `Open loop (${workload}): response times in ms`,
    columns: openLoopColumns,
    summarize: listOverloaded,
    results: messageRates(`${workload}-open-loop`),
  };
}

/**
 * The table of a workload whose cells are compared by messages per second.
 * @param {string} workload @param {{senderColumns?: readonly Column[], hasLatency: boolean}} more senderColumns: the columns after rate and guarantee
 * @returns {Table}
 */
export function rateTable(workload, {senderColumns = [], hasLatency}) {
  const latencies = hasLatency ? [p50, p99] : [];
  const compared = {
    figureOf: (/** @type {CompletedRecord} */ {throughput}) => `${formatShortRate(throughput)} msgs/s`,
    what: 'the time per message of ',
  };
  return {
    name: workload,
    title: `Messages per second ± 95 % interval (${workload})`,
    columns: [rate, guarantee, ...senderColumns, summedRate, megabytes, ...latencies, floor, standing, cpu],
    summarize: compareCells(compared),
    compared,
    results: messageRates(workload),
  };
}

/**
 * The table of a workload whose cells are compared by their mean times.
 * @param {string} workload
 * @param {{what?: string, figure?: string, results?: ResultsKind}} [more] figure: the name of the compared figure, printed after its value
 * @returns {Table}
 */
export function meanTable(
  workload,
  {what = `Mean times (${workload})`, figure = 'mean time', results = messageRates(workload)} = {},
) {
  return {
    name: workload,
    title: `${what} in ms ± 95 % interval`,
    columns: [mean, guarantee, p50, p99, plainRate, summedRate, floor, standing, cpu],
    ...comparedMeans(figure),
    results,
  };
}

/** @param {string} name the figure's name, printed after its value @returns {{summarize: Summarize, compared: Compared}} */
export function comparedMeans(name) {
  /** @type {Compared} */
  const compared = {
    figureOf: ({rtt}) => (rtt ? `${formatShortMs(rtt.meanMs, rtt.ci95Ms)} ms` : 'n/a'),
    name,
  };
  return {summarize: compareCells(compared), compared};
}

/** The table of mean round-trip times has the columns of the table published in 2016. @type {ResultsKind} */
export const meanRoundTrips = {
  marker: 'perf-battle:results',
  firstColumns: ['Id', 'Facilitator', 'Environment', 'Payload Size', 'Persistent'],
  prefix: 'RTT ',
  nameOf: ({facilitator, environment, payloadSize, persistent}) => [
    facilitator,
    environment,
    payloadSize,
    persistent,
  ],
  figureOf: ({rtt, throughput}) => rtt?.meanMs ?? throughput.messagesPerSecond,
  format: (figure) => `${formatMs(figure)} ms`,
  withInterval: ({rtt}) => (rtt?.ci95Ms ? `${formatMean(rtt)} ms` : null),
};

/** Each name has its own table of messages per second. @param {string} name the table's name @returns {ResultsKind} */
export function messageRates(name) {
  return {
    marker: `perf-battle:results:${name}`,
    firstColumns: ['Id', 'Workload', 'Facilitator', 'Environment', 'Payload Size', 'Persistent'],
    prefix: 'msgs/s ',
    nameOf: (row) => [row.workload ?? name, ...meanRoundTrips.nameOf(row)],
    figureOf: ({throughput}) => throughput.messagesPerSecond,
    format: formatRate,
    withInterval: ({throughput}) => rateWithInterval(throughput),
  };
}

/** @param {Parameters<typeof formatRateMean>[0]} rate @returns {string | null} null if the rate has no interval */
export function rateWithInterval(rate) {
  return rate.ci95MessagesPerSecond ? formatRateMean(rate) : null;
}
