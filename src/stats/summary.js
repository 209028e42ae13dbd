/** @import {Histogram} from './histogram.js' */

/**
 * The figures of a distribution of round trips, as the record names them.
 *
 * @typedef {object} Summary
 * @property {number} meanMs
 * @property {number} minMs
 * @property {number} maxMs
 * @property {number} stdevMs of the samples
 * @property {number | null} p50Ms null here and below: fewer than ten samples are above it
 * @property {number | null} p75Ms
 * @property {number | null} p90Ms
 * @property {number | null} p99Ms
 * @property {number | null} p999Ms
 * @property {number | null} p9999Ms
 * @property {number | null} p99999Ms
 * @property {number} samples
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
    p50Ms: percentileMs(histogram, 50),
    p75Ms: percentileMs(histogram, 75),
    p90Ms: percentileMs(histogram, 90),
    p99Ms: percentileMs(histogram, 99),
    p999Ms: percentileMs(histogram, 99.9),
    p9999Ms: percentileMs(histogram, 99.99),
    p99999Ms: percentileMs(histogram, 99.999),
    samples: histogram.count,
  };
}

/** @param {Histogram} histogram @param {number} percentile */
function percentileMs(histogram, percentile) {
  const nanoseconds = histogram.percentile(percentile);
  return nanoseconds === null ? null : nanoseconds / 1e6;
}
