import {thresholds} from './thresholds.js';

/** @import {Interval} from './interval.js' */

/**
 * What a ratio shows. A difference is shown only if the interval excludes 1 and the ratio is at least the smallest effect that counts
 * (`thresholds.effectShare`). Intervals that overlap never show that two cells are the same.
 *
 * It is in a file of its own, because a role loads it with the tables of its workload, and needs no statistics library.
 *
 * @param {{ratio: number, ci95: Interval | null}} ratio
 * @returns {Difference} of the first cell
 *
 * @typedef {'slower' | 'faster' | 'no difference shown'} Difference
 */
export function verdictOfRatio({ratio, ci95}) {
  const effect = 1 + thresholds.effectShare;
  if (ci95 && ci95[0] > 1 && ratio >= effect) return 'slower';
  return ci95 && ci95[1] < 1 && ratio <= 1 / effect ? 'faster' : 'no difference shown';
}
