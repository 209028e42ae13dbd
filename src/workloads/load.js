import {performance} from 'node:perf_hooks';
import {phasesOf} from '../measure/warm-up.js';

/**
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {Until, WorkloadContext, WorkloadRole} from './workload.js'
 */

/** A transport that answers at once never yields to the event loop, so the loops of the workloads yield at this interval. */
export const yieldEveryMs = 10;

/** A duplicate reply arrives within this time. */
export const waitForStraysMs = 30;

/** This many samples fit in 8 MiB of memory, before older ones must be moved during the measurement. */
export const samplesKept = 2 ** 20;

/**
 * Returns the bounds of a measured part that starts now.
 * @param {{samples: number | null, durationMs: number | null}} options @returns {Until}
 */
export function boundsOf({samples, durationMs}) {
  return {
    samples: samples ?? Number.POSITIVE_INFINITY,
    atMs: performance.now() + (durationMs ?? Number.POSITIVE_INFINITY),
    least: 0,
  };
}

/** Returns the bounds of a part that ends at a number of samples. @param {number} samples @returns {Until} */
export function upTo(samples) {
  return {samples, atMs: Number.POSITIVE_INFINITY, least: 0};
}

/**
 * Returns whether a measured part is over. It makes all three comparisons each time, because V8 would discard the compiled hot loop at the first
 * comparison that the warm-up has not made.
 * @param {Until} until @param {number} count samples so far
 * @param {number} nowMs by performance.now()
 */
export function isOver({samples, atMs, least}, count, nowMs) {
  const isFull = count >= samples;
  const isLate = nowMs >= atMs;
  const isEnough = count >= least;
  return isFull || (isLate && isEnough);
}

/**
 * Sends the messages of a warm-up, one phase after the other.
 * @param {Pick<WorkloadContext, 'ring' | 'warmUpRing'> & {options: Pick<WorkloadContext['options'], 'warmUp'>}} context
 * @param {(ring: PayloadRing, until: Until, isOfPair: boolean) => Promise<number>} send sends payloads of the ring up to the bound,
 *   and returns their number; isOfPair: the requests are the first of a new pair
 * @returns {Promise<{discarded: number}>} the number of all messages
 */
export async function warmUpBy({ring, warmUpRing = null, options}, send) {
  const isNewPair = warmUpRing !== null;
  let discarded = 0;
  for (const phase of phasesOf(options.warmUp, {payloadBytes: ring.payloadBytes, isNewPair})) {
    const {isOfPair, samples, durationMs} = phase;
    const until = {samples, atMs: performance.now() + durationMs, least: 0};
    discarded += await send(isOfPair && warmUpRing ? warmUpRing : ring, until, isOfPair);
  }
  return {discarded};
}

/**
 * Loads the part of a workload that its processes run, without its options and tables.
 * @param {string} name @returns {Promise<WorkloadRole>}
 */
export async function loadRole(name) {
  const {role} = await import(`./${name}/role.js`);
  return role;
}
