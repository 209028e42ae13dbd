import {formatCpu, formatFloor, formatMean, formatMs, formatRate, formatRateMean} from './figures.js';

/** @import {Column} from './column.js' */

/** The columns of several workloads. The columns of a single workload are declared in its folder. */

/** @type {Column} */
export const mean = {heading: 'Mean ± 95 %', cell: ({rtt}) => (rtt ? formatMean(rtt) : 'n/a')};

/** @type {Column} */
export const rate = {heading: 'msgs/s ± 95 %', cell: ({throughput}) => formatRateMean(throughput)};

/** The sum of the rates of several clients, each by its own clock. @type {Column} */
export const summedRate = {
  heading: 'summed',
  cell: ({throughput}) => formatRate(throughput.summedMessagesPerSecond),
  isShown: (records) => records.some(({variant}) => Number(variant.clients) > 1),
};

/** @type {Column} */
export const standing = {heading: 'vs fastest', cell: (_record, text) => text};

/** @type {Column} */
export const p50 = {heading: 'p50', cell: ({rtt}) => formatMs(rtt?.p50Ms ?? null)};

/** @type {Column} */
export const p99 = {heading: 'p99', cell: ({rtt}) => formatMs(rtt?.p99Ms ?? null)};

/** @type {Column} */
export const floor = {heading: '× floor', cell: (record) => formatFloor(record.floor)};

/** @type {Column} */
export const plainRate = {
  heading: 'msgs/s',
  cell: ({throughput}) => formatRate(throughput.messagesPerSecond),
};

/** @type {Column} */
export const megabytes = {
  heading: 'MB/s',
  cell: ({throughput}) => formatRate(throughput.bytesPerSecond / 1e6),
};

/** @type {Column} */
export const cpu = {heading: 'CPU µs/msg', cell: formatCpu};
