/** @import {CompletedRecord} from '../../src/results/record-schema.js' */

/**
 * What cannot be true in a record, by arithmetic of its own: the program's checks may have a mistake.
 * @param {CompletedRecord} record
 * @returns {string[]}
 */
export function impossibleIn({rtt, latencies, throughput, counts, trials}) {
  const distributions = [...(rtt ? [rtt] : []), ...Object.values(latencies)];
  const {sent, received, lost, verified, corrupted, timedOut} = counts;
  const parts = [verified, corrupted, received].every((part) => part <= received) && received + lost === sent;
  return [
    ...distributions.flatMap(impossibleTimes),
    ...(Object.values(counts).every((count) => Number.isSafeInteger(count) && count >= 0)
      ? []
      : [`counts ${JSON.stringify(counts)}`]),
    ...(parts && timedOut <= sent ? [] : [`counts do not add up: ${JSON.stringify(counts)}`]),
    ...(isPositive(throughput.messagesPerSecond)
      ? []
      : [`${throughput.messagesPerSecond} messages per second`]),
    ...(trials.length === 1 ? [] : [`${trials.length} trials`]),
  ];
}

/** @param {NonNullable<CompletedRecord['rtt']> | CompletedRecord['latencies'][string]} distribution */
function impossibleTimes({minMs, meanMs, maxMs, stdevMs, p50Ms, p90Ms}) {
  const known = [minMs, p50Ms, p90Ms, maxMs].filter((one) => one !== null);
  const isOrdered = known.every((one, index) => index === 0 || one >= known[index - 1] * 0.999);
  const isMean = meanMs !== null && minMs !== null && maxMs !== null && minMs <= meanMs && meanMs <= maxMs;
  const isTrue =
    isOrdered && isMean && known.every(isPositive) && Number.isFinite(stdevMs) && Number(stdevMs) >= 0;
  return isTrue ? [] : [`times ${JSON.stringify({minMs, meanMs, maxMs, stdevMs, p50Ms, p90Ms})}`];
}

/** @param {number} value */
function isPositive(value) {
  return Number.isFinite(value) && value > 0;
}
