import {formatBytes} from '../payload/bytes.js';
import {summarize} from '../stats/summary.js';
import {roundRate} from '../workloads/describe-report.js';

/**
 * @import {Counts, Timed} from '../measure/types.js'
 * @import {Result} from '../messages.js'
 * @import {Histogram} from '../stats/histogram.js'
 * @import {Summary} from '../stats/summary.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {WorkloadResult, WorkloadRole} from '../workloads/workload.js'
 */

/**
 * Returns the result event of a client.
 * @param {WorkloadResult} result
 * @param {number} requestBytes also the size of a reply, unless the workload reports another size
 * @returns {Result}
 */
export function makeResult(result, requestBytes) {
  const {latency, timed, counts, warmUp, usage, windows = null, moments = null, mismatch = null} = result;
  const {account} = result;
  const {beside = {}, phases = {}, notes = {}, schedule = null, payloadBytes = requestBytes} = result;
  return {
    event: 'result',
    payloadBytes,
    rtt: latency && latency.count > 0 ? summarize(latency) : null,
    counts,
    throughput: timed && rateOf(timed, payloadBytes),
    timed,
    schedule,
    phases,
    beside: mapValues(beside, summarize),
    discarded: warmUp.discarded,
    windows,
    moments,
    usage,
    notes,
    mismatch,
    encoded: latency && latency.count > 0 ? latency.encode() : null,
    encodedBeside: mapValues(beside, (histogram) => histogram.encode()),
    ...(account && {account}),
  };
}

/** @param {Timed} timed @param {number} payloadBytes */
function rateOf({messages, ms}, payloadBytes) {
  const messagesPerSecond = messages === 0 ? 0 : (messages * 1000) / ms;
  return {messagesPerSecond, bytesPerSecond: messagesPerSecond * payloadBytes};
}

/**
 * Maps the distributions with at least one sample.
 * @template Value
 * @param {Record<string, Histogram>} histograms @param {(histogram: Histogram) => Value} map
 * @returns {Record<string, Value>}
 */
function mapValues(histograms, map) {
  const some = Object.entries(histograms).filter(([, histogram]) => histogram.count > 0);
  return Object.fromEntries(some.map(([name, histogram]) => [name, map(histogram)]));
}

/**
 * Returns the result as text, for a client by hand.
 * @param {{transport: Transport, workload: WorkloadRole}} what @param {{workload: string}} options
 * @param {Result} result
 */
export function describeResult(what, options, {rtt, beside, phases, throughput, counts, ...result}) {
  const {transport, workload} = what;
  const {isRoundTrips = false} = workload;
  const {discarded, payloadBytes} = result;
  const name = [transport.label, transport.qualifier?.(options)].filter(Boolean).join(' ');
  const messages = isRoundTrips ? 'round trips' : `messages (${options.workload})`;
  const lines = [
    `${name}, ${formatBytes(payloadBytes)}, ${counts.sent} ${messages} after ${discarded} to warm up`,
    ...(rtt ? distributionLines(rtt) : []),
    ...Object.entries(beside).map(
      ([name, {meanMs, p99Ms}]) => `${name}: mean ${ms(meanMs)}, p99 ${ms(p99Ms)}`,
    ),
    ...Object.entries(phases).map(
      ([name, timed]) =>
        `${name}: ${timed.messages} in ${(timed.ms / 1000).toFixed(3)} s, ${roundRate((timed.messages * 1000) / timed.ms)} messages/s`,
    ),
  ];
  if (!isRoundTrips && throughput) lines.push(`${roundRate(throughput.messagesPerSecond)} messages/s`);
  if (!rtt && !throughput) lines.push('sent; the server reports what arrived');
  for (const [name, count] of Object.entries(unexpectedCounts(counts))) lines.push(`${name}: ${count}`);
  return lines.join('\n');
}

/** @param {Summary} rtt */
function distributionLines(rtt) {
  return [
    `mean ${ms(rtt.meanMs)}`,
    `min  ${ms(rtt.minMs)}`,
    `p50  ${ms(rtt.p50Ms)}`,
    `p99  ${ms(rtt.p99Ms)}`,
    `max  ${ms(rtt.maxMs)}`,
    `n    ${rtt.samples}`,
  ];
}

/** @param {Counts} counts @returns {Record<string, number>} counts that should be zero but are not */
function unexpectedCounts({timedOut, retried, lost, duplicated, reordered, corrupted}) {
  const counts = {'timed out': timedOut, retried, lost, duplicated, reordered, corrupted};
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** @param {number | null} value */
function ms(value) {
  return value === null ? 'n/a' : `${value.toFixed(4)} ms`;
}
