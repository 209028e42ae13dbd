import {clamp} from './numbers.js';

/** @import {Histogram} from './histogram.js' */

const percents = [75, 90, 99, 99.9, 99.99, 99.999];

/**
 * The fastest p per cent of the samples.
 *
 * @typedef {object} Band
 * @property {number} percent p
 * @property {number | null} meanNs of these samples alone; null when fewer than ten samples are slower
 * @property {number | null} maxNs the slowest of them, which is the percentile p; null when meanNs is null
 */

/**
 * The bands of the fastest 75 to 99.999 per cent of the samples. A band has as many samples as the nearest rank (count × p / 100,
 * rounded up), so that its maximum is the percentile of the same name.
 *
 * @param {Histogram} histogram of at least one sample
 * @returns {Band[]} for 75, 90, 99, 99.9, 99.99 and 99.999 per cent, always all six
 */
export function bandsOf(histogram) {
  const buckets = bucketsOf(histogram);
  return percents.map((percent) => {
    const maxNs = histogram.percentile(percent);
    if (maxNs === null) return {percent, meanNs: null, maxNs};
    const samples = nearestRank(histogram.count, percent);
    // The exact bounds: the mean of a band exceeds neither the mean of all samples nor its own maximum.
    const bound = Math.min(maxNs, histogram.mean);
    return {percent, meanNs: clamp(meanOfFastest(buckets, samples), histogram.minimum, bound), maxNs};
  });
}

/**
 * The value of a bucket is its median-equivalent value. It differs from each of its samples by at most half the width of the bucket,
 * 0.05 %.
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
