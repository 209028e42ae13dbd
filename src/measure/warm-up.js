import {performance} from 'node:perf_hooks';
import {medianOf} from './median.js';

/**
 * The warm-up of a trial: round trips that do not count.
 * @typedef {{kind: 'auto', maximumMs: number} | {kind: 'duration', durationMs: number} | {kind: 'count', count: number}} WarmUp
 */

const minRequests = 50;
const windowMs = 50;
/** The newest windows are compared with the same number before them. A median of medians is robust against one disturbed window. */
const windowsCompared = 5;
/** The minimum when the user gave a short time. */
const minWindowsCompared = 3;
const minMs = 2 * windowsCompared * windowMs;
/** The median has settled when it has fallen by at most this share. A rising median means a disturbance, not a cold pair. */
const settledShare = 0.05;

/**
 * Sends requests that do not count until the pair is warm. An automatic warm-up has at least 50 requests and takes at least
 * 500 ms. It ends when the median of the last 250 ms is at most 5 % below that of the 250 ms before, or at its maximum time. A
 * warm-up by duration or by count ends exactly there. One by duration checks also whether the median has settled.
 *
 * @param {WarmUp} warmUp
 * @param {{count: number, medianSince: (from: number) => number}} recorder records the samples, which the caller then discards
 * @param {(until: {samples: number, atMs: number}) => Promise<unknown>} exchange
 *   sends requests until the recorder has that many samples or performance.now() has reached that time
 * @returns {Promise<{warm: boolean, discarded: number}>} warm: false when the median had not settled at the end
 */
export async function warmUpBy(warmUp, recorder, exchange) {
  const bounds = boundsOf(warmUp);
  const startedAt = performance.now();
  /** @type {number[]} */
  let medians = [];
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    const warm = isSettled(medians) && recorder.count >= bounds.minSamples;
    if (
      (warm && elapsedMs >= bounds.minMs) ||
      elapsedMs >= bounds.maxMs ||
      recorder.count >= bounds.maxSamples
    ) {
      return {warm: warm || warmUp.kind === 'count', discarded: recorder.count};
    }
    const from = recorder.count;
    const remainingMs = bounds.maxMs - elapsedMs;
    // A remainder that is too short for another window extends this one.
    const lengthMs = remainingMs < 1.5 * windowMs ? remainingMs : windowMs;
    await exchange({samples: bounds.maxSamples, atMs: performance.now() + lengthMs});
    medians = [...medians, recorder.medianSince(from)].slice(-2 * windowsCompared);
  }
}

/** @param {WarmUp} warmUp */
function boundsOf(warmUp) {
  const unbounded = Number.POSITIVE_INFINITY;
  if (warmUp.kind === 'count')
    return {minMs: unbounded, maxMs: unbounded, minSamples: 0, maxSamples: warmUp.count};
  if (warmUp.kind === 'duration')
    return {minMs: warmUp.durationMs, maxMs: warmUp.durationMs, minSamples: 0, maxSamples: unbounded};
  const maxMs = warmUp.maximumMs;
  return {minMs: Math.min(minMs, maxMs), maxMs, minSamples: minRequests, maxSamples: unbounded};
}

/** @param {readonly number[]} medians of the newest windows */
function isSettled(medians) {
  const half = medians.length >> 1;
  if (half < minWindowsCompared) return false;
  return medianOf(medians.slice(half)) >= (1 - settledShare) * medianOf(medians.slice(0, half));
}
