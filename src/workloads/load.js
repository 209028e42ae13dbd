import {performance} from 'node:perf_hooks';

/** What the clients of the workloads share. */

/** A transport that answers at once never yields to the event loop; the loops of the workloads yield this often. */
export const yieldEveryMs = 10;

/** What a server answers twice comes by then. */
export const waitForStraysMs = 30;

/** Samples that are kept before any has to be moved while messages are on their way: 8 MiB. */
export const samplesKept = 2 ** 20;

/**
 * When a measured part ends: the recorder's count, or the time by performance.now(), whichever is first.
 * @typedef {{samples: number, atMs: number}} Until
 */

/**
 * The bounds of a measured part that begins now.
 * @param {{samples: number | null, durationMs: number | null}} options
 * @returns {Until}
 */
export function boundsOf({samples, durationMs}) {
  return {
    samples: samples ?? Number.POSITIVE_INFINITY,
    atMs: performance.now() + (durationMs ?? Number.POSITIVE_INFINITY),
  };
}
