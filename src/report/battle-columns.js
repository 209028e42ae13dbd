import {formatCpu, formatFloor, formatMean, formatMs, formatRate, formatRateMean} from './figures.js';
import {isShownInParts} from './parts.js';
import {formatTime} from './time-units.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/** @typedef {{heading: string, cell: (record: CompletedRecord, standing: string) => string}} Column */

/**
 * What the table of a workload shows: for the workloads compared by latency the mean, for those compared by rate the messages per second, and
 * for an open loop response time beside service time.
 *
 * @param {readonly CompletedRecord[]} cells of one workload, all of them shown in parts or none
 * @returns {{title: string, columns: Column[]}}
 */
export function columnsOf(cells) {
  const [first] = cells;
  if (first.openLoop)
    return {title: `Open loop (${first.workload}): response and service times in ms`, columns: ofOpenLoop};
  if (isShownInParts(first)) {
    return {title: 'Messages per second into and out of a durable queue', columns: ofPhases(first)};
  }
  if (first.comparedBy === 'rate') {
    const latencies = first.rtt ? [p50, p99] : [];
    const clients = cells.some(hasSeveralClients) ? [summed] : [];
    const title = `Messages per second ± 95 % interval (${first.workload})`;
    const ofSender = cells.some(({phases}) => 'sender' in phases) ? [sender] : [];
    return {title, columns: [rate, ...ofSender, ...clients, standing, megabytes, ...latencies, floor, cpu]};
  }
  if ('hit' in first.latencies || 'miss' in first.latencies) {
    return {title: 'Mean times through a cache, in ms unless said', columns: [mean, ...ofCache, msgs, cpu]};
  }
  const what = first.workload === 'rtt' ? 'Mean round-trip times' : `Mean times (${first.workload})`;
  const clients = cells.some(hasSeveralClients) ? [summed] : [];
  return {
    title: `${what} in ms ± 95 % interval`,
    columns: [mean, standing, p50, p99, floor, msgs, ...clients, cpu],
  };
}

/** @param {CompletedRecord} record */
function hasSeveralClients({variant}) {
  return Number(variant.clients) > 1;
}

/** @type {Column} */
const mean = {heading: 'Mean ± 95 %', cell: ({rtt}) => (rtt ? formatMean(rtt) : 'n/a')};
/** @type {Column} */
const rate = {heading: 'msgs/s ± 95 %', cell: ({throughput}) => formatRateMean(throughput)};
/** @type {Column} */
const sender = {
  heading: 'by the sender',
  cell: ({phases}) => ('sender' in phases ? formatRateMean(phases.sender) : 'n/a'),
};
/** @type {Column} */
const summed = {heading: 'summed', cell: ({throughput}) => formatRate(throughput.summedMessagesPerSecond)};
/** @type {Column} */
const standing = {heading: 'vs fastest', cell: (_record, text) => text};
/** @type {Column} */
const p50 = {heading: 'p50', cell: ({rtt}) => formatMs(rtt?.p50Ms ?? null)};
/** @type {Column} */
const p99 = {heading: 'p99', cell: ({rtt}) => formatMs(rtt?.p99Ms ?? null)};
/** @type {Column} */
const floor = {heading: '× floor', cell: (record) => formatFloor(record.floor)};
/** @type {Column} */
const msgs = {heading: 'msgs/s', cell: ({throughput}) => formatRate(throughput.messagesPerSecond)};
/** @type {Column} */
const megabytes = {heading: 'MB/s', cell: ({throughput}) => formatRate(throughput.bytesPerSecond / 1e6)};
/** @type {Column} */
const cpu = {heading: 'CPU µs/msg', cell: formatCpu};

/** @type {Column[]} */
const ofOpenLoop = [
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

/** @param {CompletedRecord} record @returns {Column[]} */
function ofPhases({phases}) {
  return Object.keys(phases).flatMap((name) => [
    {heading: `${name} msgs/s ± 95 %`, cell: (record) => formatRateMean(record.phases[name])},
    {heading: 'ms', cell: (record) => record.phases[name].meanMs.toFixed(1)},
  ]);
}

/** @type {Column[]} */
const ofCache = ['hit', 'miss'].flatMap((name) => [
  {heading: `${name} mean`, cell: (record) => formatTime(nanoseconds(record.latencies[name]?.meanMs))},
  {heading: `${name} p99`, cell: (record) => formatTime(nanoseconds(record.latencies[name]?.p99Ms))},
]);

/** @param {number | null | undefined} ms */
function nanoseconds(ms) {
  return ms == null ? null : ms * 1e6;
}
