/** @import {Histogram} from './histogram.js' */

/** The percentiles of a distribution, by the names of their fields. */
export const percentiles = /** @type {const} */ ({
  p50Ms: 50,
  p75Ms: 75,
  p90Ms: 90,
  p95Ms: 95,
  p99Ms: 99,
  p999Ms: 99.9,
  p9999Ms: 99.99,
  p99999Ms: 99.999,
});

/**
 * The figures of a distribution of round trips, as the record names them. A percentile is null when fewer than ten samples are above it.
 *
 * @typedef {{meanMs: number, minMs: number, maxMs: number, stdevMs: number, samples: number} & Record<keyof typeof percentiles, number | null>}
 *   Summary stdevMs: of the samples
 */

/**
 * @param {Histogram} histogram of at least one sample
 * @returns {Summary}
 */
export function summarize(histogram) {
  return {
    meanMs: histogram.mean / 1e6,
    minMs: histogram.minimum / 1e6,
    maxMs: histogram.maximum / 1e6,
    stdevMs: histogram.standardDeviation / 1e6,
    ...percentilesOf((percentile) => histogram.percentile(percentile)),
    samples: histogram.count,
  };
}

/**
 * @param {(percentile: number) => number | null} nanosecondsAt
 * @returns {Record<keyof typeof percentiles, number | null>} in ms
 */
export function percentilesOf(nanosecondsAt) {
  return /** @type {Record<keyof typeof percentiles, number | null>} */ (
    Object.fromEntries(
      Object.entries(percentiles).map(([name, percentile]) => {
        const nanoseconds = nanosecondsAt(percentile);
        return [name, nanoseconds === null ? null : nanoseconds / 1e6];
      }),
    )
  );
}
