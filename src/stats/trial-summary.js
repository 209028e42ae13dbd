import {mean} from 'simple-statistics';
import {Histogram, hasSamplesAbove} from './histogram.js';
import {interval95, intervalAround} from './interval.js';
import {Mixture} from './mixture.js';
import {percentiles, percentilesOf} from './summary.js';

/**
 * @import {EncodedHistogram} from './histogram.js'
 * @import {Interval} from './interval.js'
 * @import {Summary} from './summary.js'
 */

/** A percentile has an interval only when each trial has at least this many samples above its own. */
const minSamplesAboveInTrial = 2;

/**
 * The figures of a distribution over trials: the mean of the trial means, percentiles of all samples with each trial weighted alike, and
 * the 95 % interval over trials of each. Minimum, maximum and standard deviation are those of all samples.
 *
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
 * One percentile of a distribution over trials, as `summarizeTrials` has it.
 * @param {readonly EncodedHistogram[]} encoded one per trial, at least one, none of them empty
 * @param {number} percentile
 * @returns {{ms: number | null, ci95Ms: Interval | null}}
 */
export function percentileOverTrials(encoded, percentile) {
  const trials = encoded.map((one) => Histogram.decode(one));
  const nanoseconds = new Mixture(trials).percentile(percentile);
  const ms = nanoseconds === null ? null : nanoseconds / 1e6;
  return {ms, ci95Ms: intervalOf(ms, percentile, trials)};
}

/**
 * @param {Record<keyof typeof percentiles, number | null>} values of the mixture, in ms
 * @param {readonly Histogram[]} trials
 */
function intervalsOf(values, trials) {
  const names = /** @type {(keyof typeof percentiles)[]} */ (Object.keys(percentiles));
  return /** @type {Record<keyof typeof percentiles, Interval | null>} */ (
    Object.fromEntries(names.map((name) => [name, intervalOf(values[name], percentiles[name], trials)]))
  );
}

/**
 * Around the percentile of the mixture, from the trials' own percentiles.
 * @param {number | null} value
 * @param {number} percentile
 * @param {readonly Histogram[]} trials
 */
function intervalOf(value, percentile, trials) {
  const isKnown = trials.every(({count}) => hasSamplesAbove(count, percentile, minSamplesAboveInTrial));
  if (value === null || !isKnown) return null;
  return intervalAround(
    value,
    trials.map((trial) => trial.valueAt(percentile)),
  );
}
