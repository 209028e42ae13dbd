import {performance} from 'node:perf_hooks';

/** A transport that answers at once never yields to the event loop; the loops of the workloads yield this often. */
export const yieldEveryMs = 10;

/** A duplicate reply arrives within this time. */
export const waitForStraysMs = 30;

/** Samples that fit in memory before any must be moved during the measurement: 8 MiB. */
export const samplesKept = 2 ** 20;

/**
 * When a measured part ends: at a number of samples or at a time by performance.now(), whichever comes first, but not before it has `least` samples.
 * Samples are counted from the begin of the measurement.
 * @typedef {{samples: number, atMs: number, least?: number}} Until
 */

/**
 * The bounds of a measured part that starts now.
 * @param {{samples: number | null, durationMs: number | null}} options
 * @returns {Until}
 */
export function boundsOf({samples, durationMs}) {
  return {
    samples: samples ?? Number.POSITIVE_INFINITY,
    atMs: performance.now() + (durationMs ?? Number.POSITIVE_INFINITY),
  };
}

/**
 * Whether a measured part is over.
 * @param {Until} until
 * @param {number} count samples so far
 * @param {number} nowMs by performance.now()
 */
export function isOver({samples, atMs, least = 0}, count, nowMs) {
  return count >= samples || (nowMs >= atMs && count >= least);
}
