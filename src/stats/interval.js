import {mean, quantile, sampleStandardDeviation, sampleWithReplacement} from 'simple-statistics';

/** Student's t, two-sided 95 %, for 1 to 8 degrees of freedom (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2). */
const studentT95 = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306];

/** With at least this many trials, the interval is a bootstrap interval. */
const bootstrapFrom = 10;
const resamples = 10_000;

/**
 * The 95 % confidence interval of the mean of trial means: Student's t for fewer than ten trials, otherwise the percentile
 * bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13).
 *
 * @param {readonly number[]} trialMeans
 * @param {() => number} random uniform in [0, 1), seeded by the caller
 * @returns {[low: number, high: number] | null} null for a single trial, which has no spread
 */
export function interval95(trialMeans, random) {
  if (trialMeans.length < 2) return null;
  return trialMeans.length < bootstrapFrom
    ? studentInterval(trialMeans)
    : bootstrapInterval(trialMeans, random);
}

/** @param {readonly number[]} values @returns {[number, number]} */
function studentInterval(values) {
  const sample = [...values];
  const standardError = sampleStandardDeviation(sample) / Math.sqrt(sample.length);
  const half = studentT95[sample.length - 2] * standardError;
  return [mean(sample) - half, mean(sample) + half];
}

/** @param {readonly number[]} values @param {() => number} random @returns {[number, number]} */
function bootstrapInterval(values, random) {
  const sample = [...values];
  const means = Array.from({length: resamples}, () =>
    mean(sampleWithReplacement(sample, sample.length, random)),
  );
  return [quantile(means, 0.025), quantile(means, 0.975)];
}

/**
 * @param {readonly [number, number] | null} low
 * @param {readonly [number, number] | null} high
 * @returns {boolean} whether the first interval is entirely below the second; false when either is missing
 */
export function isBelow(low, high) {
  return low !== null && high !== null && low[1] < high[0];
}
