import {mean} from 'simple-statistics';
import {Histogram, hasSamplesAbove} from './histogram.js';
import {interval95, intervalAround} from './interval.js';
import {clamp} from './numbers.js';
import {percentiles, percentilesOf} from './summary.js';

/**
 * @import {EncodedHistogram} from './histogram.js'
 * @import {Interval} from './interval.js'
 * @import {Summary} from './summary.js'
 */

/** A percentile has an interval only if each trial has at least this many samples above its own percentile. */
const minSamplesAboveInTrial = 2;

/**
 * Returns the figures of a distribution over trials: the mean of the trial means, and percentiles of all samples with each trial weighted
 * alike, each with its 95 % interval over trials. Minimum, maximum and standard deviation are those of all samples.
 * @param {readonly EncodedHistogram[]} encoded one per trial, at least one, none of them empty
 * @returns {Summary & {ci95Ms: Interval | null, ci95: Record<keyof typeof percentiles, Interval | null>}} ci95: of the percentiles, in ms
 */
export function summarizeTrials(encoded) {
  const trials = encoded.map((one) => Histogram.decode(one));
  const merged = new Histogram();
  for (const trial of trials) merged.merge(trial);
  const mixture = new Mixture(trials);
  const means = trials.map((trial) => trial.mean / 1e6);
  const values = percentilesOf((percentile) => mixture.percentile(percentile));
  return {
    meanMs: mean(means),
    ci95Ms: interval95(means),
    minMs: merged.minimum / 1e6,
    maxMs: merged.maximum / 1e6,
    stdevMs: merged.standardDeviation / 1e6,
    ...values,
    ci95: intervalsOf(values, trials),
    samples: merged.count,
  };
}

/**
 * Returns one percentile of a distribution over trials, equal to that of `summarizeTrials`.
 * @param {readonly EncodedHistogram[]} encoded one per trial, at least one, none of them empty @param {number} percentile
 */
export function percentileOverTrials(encoded, percentile) {
  const trials = encoded.map((one) => Histogram.decode(one));
  const nanoseconds = new Mixture(trials).percentile(percentile);
  const ms = nanoseconds === null ? null : nanoseconds / 1e6;
  return {ms, ci95Ms: intervalOf(ms, percentile, trials)};
}

/** @param {Record<keyof typeof percentiles, number | null>} values of the mixture, in ms @param {readonly Histogram[]} trials */
function intervalsOf(values, trials) {
  const names = /** @type {(keyof typeof percentiles)[]} */ (Object.keys(percentiles));
  return /** @type {Record<keyof typeof percentiles, Interval | null>} */ (
    Object.fromEntries(names.map((name) => [name, intervalOf(values[name], percentiles[name], trials)]))
  );
}

/**
 * Returns the interval around the mixture's percentile, from the percentiles of the trials.
 * @param {number | null} value @param {number} percentile @param {readonly Histogram[]} trials
 */
function intervalOf(value, percentile, trials) {
  const isKnown = trials.every(({count}) => hasSamplesAbove(count, percentile, minSamplesAboveInTrial));
  if (value === null || !isKnown) return null;
  return intervalAround(
    value,
    trials.map((trial) => trial.valueAt(percentile)),
  );
}

/**
 * Mixes the distributions of several trials with equal weights. A trial is bounded by time, so a fast trial has more samples and would weigh
 * more in a merged histogram. Here each sample has the weight 1 / (number of samples of its trial).
 */
export class Mixture {
  /** @param {readonly Histogram[]} trials at least one, none of them empty */
  constructor(trials) {
    this.trials = trials;
    this.count = trials.reduce((total, {count}) => total + count, 0);
    this.minimum = Math.min(...trials.map(({minimum}) => minimum));
    this.maximum = Math.max(...trials.map(({maximum}) => maximum));
    this.buckets = cumulated(trials);
  }

  /**
   * Returns the upper edge of the first bucket up to which the percentile's share of the weight lies, as in a single histogram.
   * @param {number} percentile 0 to 100
   * @returns {number | null} in ns; null if fewer than ten samples of all trials together are above the percentile
   */
  percentile(percentile) {
    if (!hasSamplesAbove(this.count, percentile)) return null;
    // The tolerance covers the rounding errors of the sum.
    const weight = (percentile / 100) * this.trials.length * (1 - 1e-12);
    const bucket =
      this.buckets.find(({upToHere}) => upToHere >= weight) ?? this.buckets[this.buckets.length - 1];
    const valueNs = this.trials[0].hdr.highestEquivalentValue(bucket.valueNs);
    return clamp(valueNs, this.minimum, this.maximum);
  }
}

/** @param {readonly Histogram[]} trials @returns {{valueNs: number, upToHere: number}[]} upToHere: cumulated weight of the buckets */
function cumulated(trials) {
  /** @type {Map<number, number>} */
  const weights = new Map();
  for (const trial of trials) {
    for (const {valueNs, count} of trial.buckets())
      weights.set(valueNs, (weights.get(valueNs) ?? 0) + count / trial.count);
  }
  let upToHere = 0;
  return [...weights]
    .sort(([one], [other]) => one - other)
    .map(([valueNs, weight]) => {
      upToHere += weight;
      return {valueNs, upToHere};
    });
}
