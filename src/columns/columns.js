import {
  formatBriefRatio,
  formatCpu,
  formatMean,
  formatMs,
  formatMsWithEnds,
  formatRate,
  formatRateMean,
  formatRateWithEnds,
  formatRatioWithEnds,
  formatShortMs,
  formatStanding,
  formatStandingWithEnds,
  markOf,
} from './figures.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Column} from './column.js'
 */

/** The columns of several workloads. The columns of a single workload are declared in its folder. */

/** @type {Column} */
export const mean = {
  heading: 'Mean ± 95 %',
  priority: 0,
  cell: ({rtt}) => (rtt ? formatMean(rtt) : 'n/a'),
  inDetail: {
    heading: 'Mean [95 %] (ms)',
    cell: ({rtt}) => (rtt ? formatMsWithEnds(rtt.meanMs, rtt.ci95Ms) : 'n/a'),
  },
};

/** @type {Column} */
export const rate = {
  heading: 'msgs/s ± 95 %',
  priority: 0,
  cell: ({throughput}) => formatRateMean(throughput),
  inDetail: {heading: 'msgs/s [95 %]', cell: ({throughput}) => formatRateWithEnds(throughput)},
};

/** The sum of the rates of several clients, each by its own clock. @type {Column} */
export const summedRate = {
  heading: 'summed',
  priority: 7,
  cell: ({throughput}) => formatRate(throughput.summedMessagesPerSecond),
  isShown: (records) => records.some(({variant}) => Number(variant.clients) > 1),
};

/** Where there is no room for two ratios, that to the floor is shown: each row has one, and the summary above the table says it, too. @type {Column} */
export const standing = {
  heading: 'vs fastest',
  priority: (records) => (records.some(hasFloor) ? 6 : 3),
  cell: (_record, ofCell) => formatStanding(ofCell),
  inBrief: (_record, ofCell) => formatBriefRatio(ofCell),
  inDetail: {heading: 'vs fastest [95 %]', cell: (_record, ofCell) => formatStandingWithEnds(ofCell)},
};

/** @type {Column} */
export const p50 = percentile('p50', 'p50Ms', 1);

/** @type {Column} */
export const p99 = percentile('p99', 'p99Ms', 4);

/** @type {Column} */
export const max = {
  heading: 'max',
  priority: 5,
  cell: ({rtt}) => formatShortMs(rtt?.maxMs ?? null),
  inDetail: {heading: 'max', cell: ({rtt}) => formatMs(rtt?.maxMs ?? null)},
};

/** @type {Column} */
export const floor = {
  heading: '× floor',
  priority: 3,
  cell: (record) => formatStanding(record.floor),
  inBrief: (record) => formatBriefRatio(record.floor),
  isShown: (records) => records.some(hasFloor),
  inDetail: {
    heading: '× floor [95 %]',
    cell: (record) => (record.floor ? `${formatRatioWithEnds(record.floor)}${markOf(record.floor)}` : 'n/a'),
  },
};

/** @type {Column} */
export const plainRate = {
  heading: 'msgs/s',
  priority: 2,
  cell: ({throughput}) => formatRate(throughput.messagesPerSecond),
};

/** @type {Column} */
export const megabytes = {
  heading: 'MB/s',
  priority: 5,
  cell: ({throughput}) => formatRate(throughput.bytesPerSecond / 1e6),
};

/** What an acknowledgement is worth. Only cells that survive the same are ranked. @type {Column} */
export const guarantee = {
  heading: 'Class',
  priority: 3.5,
  cell: (record) => record.guarantee?.name.replace(' before the acknowledgement', '') ?? '',
  isShown: (records) => records.some((record) => record.guarantee !== undefined),
};

/** @type {Column} */
export const cpu = {heading: 'CPU µs/msg', priority: 8, cell: formatCpu};

/** @param {CompletedRecord} record */
function hasFloor({floor}) {
  return floor !== null;
}

/**
 * A percentile of the latency, with its interval over trials if the record has one.
 * @param {string} heading @param {'p50Ms' | 'p90Ms' | 'p95Ms' | 'p99Ms' | 'p999Ms'} field @param {number} priority
 * @returns {Column}
 */
export function percentile(heading, field, priority) {
  return {
    heading,
    priority,
    cell: ({rtt}) => formatShortMs(rtt?.[field] ?? null, rtt?.ci95?.[field]),
    inDetail: {
      heading,
      cell: ({rtt}) => formatMsWithEnds(rtt?.[field] ?? null, rtt?.ci95?.[field]),
    },
  };
}
