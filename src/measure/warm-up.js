import {performance} from 'node:perf_hooks';
import {medianOf} from './median.js';

/**
 * What a trial begins with: round trips that are not counted.
 * @typedef {{kind: 'auto', maximumMs: number} | {kind: 'duration', durationMs: number} | {kind: 'count', count: number}} WarmUp
 */

const fewestRequests = 50;
const windowMs = 50;
/** The newest windows are compared with as many before them: a median of medians, which one disturbed window does not move. */
const windowsCompared = 5;
/** In a time that a person gave there may be less. */
const fewestCompared = 3;
const shortestMs = 2 * windowsCompared * windowMs;
/** The median has settled when it has fallen by no more than this share. One that rises is disturbed, not cold. */
const settledWithin = 0.05;

/**
 * Sends requests that do not count until the pair is warm: at least 50 and 500 ms, until the median of the last 250 ms lies
 * no more than 5 % below that of the 250 ms before, at most the time allowed. Or just as long, or as many, as the person said;
 * whether the median has settled is then looked at all the same, save for a number of requests.
 *
 * @param {WarmUp} warmUp
 * @param {{count: number, medianSince: (from: number) => number}} recorder takes the samples, which the caller then discards
 * @param {(until: {samples: number, atMs: number}) => Promise<unknown>} exchange
 *   sends requests until the recorder holds that many samples or performance.now() has reached that time
 * @returns {Promise<{warm: boolean, discarded: number}>} warm: false when the median had not settled at the end
 */
export async function warmUpBy(warmUp, recorder, exchange) {
  const bounds = boundsOf(warmUp);
  const begin = performance.now();
  /** @type {number[]} */
  let medians = [];
  for (;;) {
    const elapsedMs = performance.now() - begin;
    const warm = isSettled(medians) && recorder.count >= bounds.fewest;
    if (
      (warm && elapsedMs >= bounds.shortestMs) ||
      elapsedMs >= bounds.longestMs ||
      recorder.count >= bounds.most
    ) {
      return {warm: warm || warmUp.kind === 'count', discarded: recorder.count};
    }
    const from = recorder.count;
    const remainingMs = bounds.longestMs - elapsedMs;
    // A rest too short for a window of its own goes with the one before it.
    const lengthMs = remainingMs < 1.5 * windowMs ? remainingMs : windowMs;
    await exchange({samples: bounds.most, atMs: performance.now() + lengthMs});
    medians = [...medians, recorder.medianSince(from)].slice(-2 * windowsCompared);
  }
}

/** @param {WarmUp} warmUp */
function boundsOf(warmUp) {
  const forever = Number.POSITIVE_INFINITY;
  if (warmUp.kind === 'count')
    return {shortestMs: forever, longestMs: forever, fewest: 0, most: warmUp.count};
  if (warmUp.kind === 'duration') {
    return {shortestMs: warmUp.durationMs, longestMs: warmUp.durationMs, fewest: 0, most: forever};
  }
  const longestMs = warmUp.maximumMs;
  return {shortestMs: Math.min(shortestMs, longestMs), longestMs, fewest: fewestRequests, most: forever};
}

/** @param {readonly number[]} medians of the newest windows */
function isSettled(medians) {
  const half = medians.length >> 1;
  if (half < fewestCompared) return false;
  return medianOf(medians.slice(half)) >= (1 - settledWithin) * medianOf(medians.slice(0, half));
}
