import {mean, sampleStandardDeviation} from 'simple-statistics';
import {studentQuantile} from './student-t.js';

/**
 * The 95 % confidence interval of a mean over trials.
 *
 * @param {readonly number[]} values one per trial, above zero
 * @returns {Interval | null} null for a single trial, which has no spread, and if a value is not above zero
 *
 * @typedef {[low: number, high: number]} Interval
 */
export function interval95(values) {
  return values.length === 0 ? null : intervalAround(mean([...values]), values);
}

/**
 * The 95 % interval of an estimate over trials: from estimate / f to estimate × f, where ln f is the half-width of Student's t interval of
 * the logarithms of the trials' own values. It cannot go below zero. The centre stays the estimate, such as the mean of the trial means:
 * the interval of the logarithms alone is that of the geometric mean, which is below the mean. docs/evidence/accuracy.md has the coverage.
 *
 * @param {number} estimate from all trials together, above zero
 * @param {readonly number[]} values one per trial, above zero
 * @returns {Interval | null} null for fewer than two trials, and if a value is not above zero
 */
export function intervalAround(estimate, values) {
  if (values.length < 2 || !values.every((value) => value > 0)) return null;
  const factor = Math.exp(halfWidth95(values.map(Math.log)));
  return [estimate / factor, estimate * factor];
}

/**
 * The 95 % confidence interval of a mean over trials that may be zero or below, such as that of a difference: Student's t.
 * @param {readonly number[]} values one per trial
 * @returns {Interval | null} null for fewer than two trials
 */
export function intervalOfDifferences(values) {
  if (values.length < 2) return null;
  const centre = mean([...values]);
  const half = halfWidth95(values);
  return [centre - half, centre + half];
}

/**
 * Half the width of Student's 95 % interval of a mean.
 * @param {readonly number[]} values at least two
 */
export function halfWidth95(values) {
  const standardError = sampleStandardDeviation([...values]) / Math.sqrt(values.length);
  return studentQuantile(0.975, values.length - 1) * standardError;
}
