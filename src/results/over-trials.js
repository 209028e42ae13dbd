import {mean} from 'simple-statistics';
import {randomSource} from '../payload/random.js';
import {interval95} from '../stats/interval.js';
import {thresholds} from '../stats/thresholds.js';

/** Which trials of a cell count, and how far they agree. The battle, which continues until they do, and the figures use the same rule. */

/**
 * @template {{disturbed: boolean}} Trial
 * @param {readonly Trial[]} trials
 */
export function trialsThatCount(trials) {
  const undisturbed = trials.filter(({disturbed}) => !disturbed);
  return undisturbed.length >= thresholds.minUndisturbedTrials ? undisturbed : trials;
}

/**
 * The larger half of the 95 % interval of the compared figure (mean round trip or mean time per message), as a share of that figure. It uses
 * the same trials and the same resamples as the figures of the cell.
 *
 * @param {readonly {figureMs: number, disturbed: boolean}[]} trials at least one
 * @param {number} seed
 * @returns {number} infinite if there is no interval
 */
export function spreadOf(trials, seed) {
  const figures = trialsThatCount(trials).map(({figureMs}) => figureMs);
  const interval = intervalOver(figures, seed);
  if (!interval) return Number.POSITIVE_INFINITY;
  const middle = mean(figures);
  return Math.max(interval[1] - middle, middle - interval[0]) / middle;
}

/**
 * All intervals of a cell use the same resamples.
 * @param {readonly number[]} figures one per trial
 * @param {number} seed
 */
export function intervalOver(figures, seed) {
  return interval95(figures, randomSource(seed, 'interval over trials'));
}
