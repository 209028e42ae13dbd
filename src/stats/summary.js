import {clamp} from './numbers.js';

/** @import {Histogram} from './histogram.js' */

/** Percentiles of a distribution by the names of their record fields. */
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
 * The figures of a distribution of round trips, named as in the record. A percentile is null if fewer than ten samples are above it.
 * @typedef {{meanMs: number, minMs: number, maxMs: number, stdevMs: number, samples: number} & Record<keyof typeof percentiles, number | null>}
 *   Summary stdevMs: of the samples
 */

/** @param {Histogram} histogram of at least one sample @returns {Summary} */
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

/** @param {(percentile: number) => number | null} nanosecondsAt @returns {Record<keyof typeof percentiles, number | null>} in ms */
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

const percents = [75, 90, 99, 99.9, 99.99, 99.999];

/**
 * The fastest p per cent of the samples.
 * @typedef {object} Band
 * @property {number} percent p
 * @property {number | null} meanNs mean of the samples of the band; null if fewer than ten samples are slower
 * @property {number | null} maxNs the slowest sample of the band, which is the percentile p; null if meanNs is null
 */

/**
 * Returns the bands of the fastest samples. The size of a band is the nearest rank: count × p / 100, rounded up. So its maximum is the percentile of
 * the same name.
 * @param {Histogram} histogram of at least one sample @returns {Band[]} for 75, 90, 99, 99.9, 99.99 and 99.999 per cent, always all six
 */
export function bandsOf(histogram) {
  const buckets = bucketsOf(histogram);
  return percents.map((percent) => {
    const maxNs = histogram.percentile(percent);
    if (maxNs === null) return {percent, meanNs: null, maxNs};
    const samples = nearestRank(histogram.count, percent);
    // The mean of a band exceeds neither the exact mean of all samples nor the maximum of the band.
    const bound = Math.min(maxNs, histogram.mean);
    return {percent, meanNs: clamp(meanOfFastest(buckets, samples), histogram.minimum, bound), maxNs};
  });
}

/**
 * Uses the median-equivalent value of a bucket. It differs from each sample of the bucket by at most half the bucket's width, 0.05 %.
 * @param {Histogram} histogram
 */
function bucketsOf(histogram) {
  return histogram
    .buckets()
    .map(({valueNs, count}) => ({valueNs: histogram.hdr.medianEquivalentValue(valueNs), count}));
}

/** The tolerance covers the rounding error of the multiplication. @param {number} count @param {number} percent */
function nearestRank(count, percent) {
  return Math.max(1, Math.ceil((count * percent) / 100 - 1e-6));
}

/** @param {readonly {valueNs: number, count: number}[]} buckets @param {number} samples the number of the fastest samples */
function meanOfFastest(buckets, samples) {
  let sum = 0;
  let left = samples;
  for (const {valueNs, count} of buckets) {
    const taken = Math.min(count, left);
    sum += taken * valueNs;
    left -= taken;
    if (left === 0) break;
  }
  return sum / samples;
}

/** Edges within a decade, coarse to fine: the preferred numbers E6, E12 and E24 (IEC 60063). */
const series = [
  [10, 15, 22, 33, 47, 68],
  [10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82],
  [10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91],
];

/** If a series gives fewer bins, the next finer series is used. */
const minBins = 10;

/**
 * Returns the samples of a histogram in bins of equal widths on a logarithmic scale, with round edges.
 * @param {Histogram} histogram of at least one sample
 * @returns {Bin[]} from the bin of the smallest sample to that of the largest, including empty bins
 *
 * @typedef {{fromNs: number, count: number}} Bin fromNs: the lower edge; samples may be lower or higher by the width of a bucket, 0.1 %
 */
export function binsOf(histogram) {
  const all = series.map((one) => emptyBins(one, histogram));
  const bins = all.find(({length}) => length >= minBins) ?? all[all.length - 1];
  for (const {valueNs, count} of histogram.buckets()) {
    // The first bucket may begin below the smallest sample, and so below the first edge.
    const bin = bins.findLast(({fromNs}) => fromNs <= valueNs) ?? bins[0];
    bin.count += count;
  }
  return bins;
}

/** @param {readonly number[]} tens edges of a decade, times ten @param {Histogram} histogram @returns {Bin[]} */
function emptyBins(tens, {minimum, maximum}) {
  const first = Math.floor(Math.log10(Math.max(1, minimum))) - 1;
  const last = Math.floor(Math.log10(Math.max(1, maximum)));
  const edges = Array.from({length: last - first + 1}, (_, index) => first + index).flatMap((decade) =>
    tens.map((ten) => Number(`${ten}e${decade - 1}`)),
  );
  const begin = edges.findLastIndex((edge) => edge <= Math.max(1, minimum));
  const end = edges.findLastIndex((edge) => edge <= Math.max(1, maximum));
  return edges.slice(begin, end + 1).map((fromNs) => ({fromNs, count: 0}));
}
