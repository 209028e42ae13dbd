import {mean} from 'simple-statistics';
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
 * the same trials as the figures of the cell.
 *
 * @param {readonly {figureMs: number, disturbed: boolean}[]} trials at least one
 * @returns {number} infinite if there is no interval
 */
export function spreadOf(trials) {
  const figures = trialsThatCount(trials).map(({figureMs}) => figureMs);
  return largerHalf(mean(figures), interval95(figures));
}

/**
 * @param {number} figure
 * @param {readonly [number, number] | null} interval
 * @returns {number} as a share of the figure; infinite if there is no interval
 */
export function largerHalf(figure, interval) {
  return interval ? Math.max(interval[1] - figure, figure - interval[0]) / figure : Number.POSITIVE_INFINITY;
}
