import {mean} from 'simple-statistics';
import {randomSource} from '../payload/random.js';
import {interval95} from '../stats/interval.js';
import {thresholds} from '../stats/thresholds.js';

/** Which trials of a cell count, and how far they agree: one answer for the battle, which goes on until they do, and for what is shown. */

/**
 * @template {{disturbed: boolean}} Trial
 * @param {readonly Trial[]} trials
 */
export function trialsThatCount(trials) {
  const undisturbed = trials.filter(({disturbed}) => !disturbed);
  return undisturbed.length >= thresholds.minUndisturbedTrials ? undisturbed : trials;
}

/**
 * How far the 95 % interval of the figure that a cell is compared by, its mean round trip or its mean time per message, reaches from that
 * figure, as a share of it: of the trials, and by the very draws, that the figures of a cell take.
 *
 * @param {readonly {figureMs: number, disturbed: boolean}[]} trials at least one
 * @param {number} seed
 * @returns {number} infinite where there is no interval
 */
export function spreadOf(trials, seed) {
  const figures = trialsThatCount(trials).map(({figureMs}) => figureMs);
  const interval = intervalOver(figures, seed);
  if (!interval) return Number.POSITIVE_INFINITY;
  const middle = mean(figures);
  return Math.max(interval[1] - middle, middle - interval[0]) / middle;
}

/**
 * All intervals of a cell draw the same resamples.
 * @param {readonly number[]} figures one a trial
 * @param {number} seed
 */
export function intervalOver(figures, seed) {
  return interval95(figures, randomSource(seed, 'interval over trials'));
}
