import {hasSamplesAbove} from './histogram.js';
import {clamp} from './numbers.js';

/** @import {Histogram} from './histogram.js' */

/**
 * The distributions of several trials, mixed with equal weights. A trial is bounded by time, so a fast one has more samples. Merged
 * histograms would give it more weight than a slow one; here each sample has the weight 1 / (number of samples of its trial).
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
   * The upper edge of the first bucket up to which that share of the weight lies, as in a single histogram.
   * @param {number} percentile 0 to 100
   * @returns {number | null} in ns; null when fewer than ten samples of all trials together are above it
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

/** @param {readonly Histogram[]} trials @returns {{valueNs: number, upToHere: number}[]} upToHere: the weight of all buckets up to this one */
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
