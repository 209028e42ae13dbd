import {sum} from 'simple-statistics';
import {UsageError} from '../errors.js';
import {isAskedFor, withValues} from '../options/resolve.js';
import {defaultBudgetMs} from '../settings/battle-options.js';
import {estimateSettingsMs} from './estimate.js';

/** @import {BattleSettings} from '../settings/index.js' */

/** All scales of two digits, in ascending order, up to that of the text itself. */
const scales = [
  ...[-7, -6, -5, -4, -3, -2].flatMap((power) =>
    Array.from({length: 90}, (_, index) => Number(`${index + 10}e${power}`)),
  ),
  1,
];

/**
 * Replaces `--scale auto` by the largest scale at which the planned rounds of the preset take no longer than the budget, by the estimate.
 * @param {BattleSettings} settings
 * @param {number} [budgetMs] by default that of the settings; a number of rounds, such as that of most presets, unsets its default
 * @returns {BattleSettings} the same settings where a scale has no effect, or with another one
 * @throws {UsageError} when no scale is small enough
 */
export function withScale(settings, budgetMs = settings.values.budgetMs ?? defaultBudgetMs) {
  const {scale, preset} = settings.values;
  const {samples, durationMs} = settings.origins;
  // A trial with a length of its own has no scale.
  if (scale !== 'auto' || preset === null || isAskedFor(samples) || isAskedFor(durationMs)) return settings;
  const {leastMs} = presetNeeds(settings);
  if (leastMs > budgetMs) {
    const [least, budget] = [leastMs, budgetMs].map((ms) => Math.ceil(ms / 1000));
    throw new UsageError(
      `--scale auto: at the smallest scale ${preset} takes about ${least} s; the budget is ${budget} s. Give a longer --budget, or fewer sizes with --payload.`,
    );
  }
  let [low, high] = [0, scales.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateAt(settings, scales[middle]) <= budgetMs) low = middle;
    else high = middle - 1;
  }
  return withValues(settings, {scale: scales[low]});
}

/**
 * How much time a preset can use, by the estimate. A scale that is given leaves the rest of a budget to more rounds.
 * @param {BattleSettings} settings @returns {Needs}
 *
 * @typedef {{leastMs: number, fullMs: number}} Needs
 */
export function presetNeeds(settings) {
  const {scale} = settings.values;
  return scale === 'auto'
    ? {leastMs: estimateAt(settings, scales[0]), fullMs: estimateAt(settings, 1)}
    : {leastMs: estimateAt(settings, scale), fullMs: Number.POSITIVE_INFINITY};
}

/**
 * Shares a time: each gets what it needs at least, and an equal part of the rest, up to what it can use.
 * @param {readonly Needs[]} needs @param {number} totalMs
 * @returns {number[]} in ms; together more than the total if that is less than all need
 */
export function shareTime(needs, totalMs) {
  const shares = needs.map(({leastMs}) => leastMs);
  let restMs = totalMs - sum(shares);
  const gainOf = (/** @type {number} */ index) => needs[index].fullMs - needs[index].leastMs;
  // What those that can use little leave is for the others.
  const order = [...needs.keys()].sort((one, other) => gainOf(one) - gainOf(other));
  for (const [position, index] of order.entries()) {
    const gainMs = Math.max(0, Math.min(gainOf(index), restMs / (order.length - position)));
    shares[index] += gainMs;
    restMs -= gainMs;
  }
  return shares;
}

/** @param {BattleSettings} settings @param {number} scale */
function estimateAt(settings, scale) {
  return estimateSettingsMs(withValues(settings, {scale}));
}
