import {formatBytes} from '../payload/bytes.js';
import {roundRate} from '../workloads/describe-report.js';

/**
 * @import {Counts} from '../measure/counts.js'
 * @import {Result} from '../protocol.js'
 * @import {Summary} from '../stats/summary.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {WorkloadRole} from '../workloads/workload.js'
 */

/**
 * The result as text, for a client by hand.
 * @param {{transport: Transport, workload: WorkloadRole}} what
 * @param {{workload: string}} options
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
        `${name}: ${timed.messages} in ${(timed.ms / 1000).toFixed(3)} s, ${rate(timed)} messages/s`,
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

/** @param {Counts} counts @returns {Record<string, number>} those that should be zero and are not */
function unexpectedCounts({timedOut, retried, lost, duplicated, reordered, corrupted}) {
  const counts = {'timed out': timedOut, retried, lost, duplicated, reordered, corrupted};
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** @param {{messages: number, ms: number}} timed */
function rate({messages, ms: duration}) {
  return roundRate((messages * 1000) / duration);
}

/** @param {number | null} value */
function ms(value) {
  return value === null ? 'n/a' : `${value.toFixed(4)} ms`;
}
