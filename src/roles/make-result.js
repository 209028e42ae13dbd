import {summarize} from '../stats/summary.js';

/**
 * @import {Timed} from '../measure/counts.js'
 * @import {Result} from '../protocol.js'
 * @import {Histogram} from '../stats/histogram.js'
 * @import {WorkloadResult} from '../workloads/workload.js'
 */

/**
 * The result event of a client.
 * @param {WorkloadResult} result
 * @param {number} requestBytes also the size of a reply, unless the workload reports another
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
 * Distributions without a sample are left out.
 * @template Value
 * @param {Record<string, Histogram>} histograms
 * @param {(histogram: Histogram) => Value} map
 * @returns {Record<string, Value>}
 */
function mapValues(histograms, map) {
  const some = Object.entries(histograms).filter(([, histogram]) => histogram.count > 0);
  return Object.fromEntries(some.map(([name, histogram]) => [name, map(histogram)]));
}
