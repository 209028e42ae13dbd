import {performance} from 'node:perf_hooks';

const fewestRequests = 50;
const shortestMs = 300;
const windowMs = 100;
/** The median has settled when it moves by no more than this share from one window to the next. */
const settledWithin = 0.1;

/**
 * Sends requests that do not count until the pair is warm: at least 50 and 300 ms, until the median of a window of 100 ms
 * stays within 10 % of the window before, at most the time allowed. Or just as long as the person said.
 *
 * @param {import('../options/common.js').WarmUp} warmUp
 * @param {import('./recorder.js').Recorder} recorder takes the samples, which the caller then discards
 * @param {(until: {samples: number, atMs: number}) => Promise<void>} exchange
 *   sends requests until the recorder holds that many samples or performance.now() has reached that time
 * @returns {Promise<{warm: boolean, discarded: number}>} warm: false when the median had not settled in the time allowed
 */
export async function warmUpBy(warmUp, recorder, exchange) {
  if (warmUp.kind === 'count') {
    if (warmUp.count > 0) await exchange({samples: warmUp.count, atMs: Number.POSITIVE_INFINITY});
    return {warm: true, discarded: recorder.count};
  }
  if (warmUp.kind === 'duration') {
    await exchange({samples: Number.POSITIVE_INFINITY, atMs: performance.now() + warmUp.durationMs});
    return {warm: true, discarded: recorder.count};
  }
  return warmUpUntilSettled(warmUp.maximumMs, recorder, exchange);
}

/**
 * @param {number} maximumMs
 * @param {import('./recorder.js').Recorder} recorder
 * @param {(until: {samples: number, atMs: number}) => Promise<void>} exchange
 */
async function warmUpUntilSettled(maximumMs, recorder, exchange) {
  const begin = performance.now();
  let earlier = Number.NaN;
  for (;;) {
    const from = recorder.count;
    await exchange({samples: Number.POSITIVE_INFINITY, atMs: performance.now() + windowMs});
    const median = recorder.medianSince(from);
    const settled = Math.abs(median - earlier) <= settledWithin * earlier;
    const elapsedMs = performance.now() - begin;
    if (settled && recorder.count >= fewestRequests && elapsedMs >= Math.min(shortestMs, maximumMs)) {
      return {warm: true, discarded: recorder.count};
    }
    if (elapsedMs >= maximumMs) return {warm: false, discarded: recorder.count};
    earlier = median;
  }
}
