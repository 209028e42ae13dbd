import {mean, median} from 'simple-statistics';
import {timeOfTrial} from '../results/comparable.js';
import {minRankSumP, minSignedRankP} from '../stats/rank-tests.js';
import {haveRatio} from '../stats/ratio.js';
import {thresholds, verdictOfRatio} from '../stats/thresholds.js';
import {workloads} from '../workloads/index.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Ratio, Trial} from '../stats/ratio.js'
 * @import {Difference} from '../stats/thresholds.js'
 * @import {Interval} from '../stats/interval.js'
 */

/**
 * How many times the time of another record one takes, by the trials that count and the figure of their workload.
 * @param {CompletedRecord} one
 * @param {CompletedRecord} other of the same workload
 * @param {(ones: Trial[], others: Trial[], typical: (values: number[]) => number) => Ratio} ratio paired by round, or of independent trials
 * @returns {RatioOfTrials | null} null if a figure of a trial is zero
 *
 * @typedef {Ratio & {counts: [ones: number, others: number]}} RatioOfTrials counts: of the trials; of the rounds in common, if they are paired
 */
export function ratioOfRecords(one, other, ratio) {
  const {aggregate = 'mean'} = workloads[one.workload] ?? {};
  const [ones, others] = [trialsOf(one), trialsOf(other)];
  if (!haveRatio([...ones, ...others])) return null;
  const made = ratio(ones, others, {mean, median}[aggregate]);
  return {...made, counts: made.paired ? roundsInCommon(ones, others) : [ones.length, others.length]};
}

/** @param {readonly Trial[]} ones @param {readonly Trial[]} others @returns {[number, number]} */
function roundsInCommon(ones, others) {
  const rounds = new Set(ones.map(({round}) => round));
  const {size} = new Set(others.map(({round}) => round).filter((round) => rounds.has(round)));
  return [size, size];
}

/** @param {CompletedRecord} record @returns {Trial[]} */
function trialsOf({comparedBy, trials}) {
  return trials
    .filter(({used}) => used)
    .map((trial) => ({round: trial.round, figureMs: timeOfTrial(comparedBy, trial)}));
}

/** Why neither side can be called slower, where a time is zero. */
export const noRatio = 'a figure is zero, so there is no ratio';

/**
 * Why so few rounds cannot have a verdict: the rank test would not agree whatever they showed.
 * @param {Pick<RatioOfTrials, 'counts' | 'paired'>} ratio
 * @param {{paired: boolean}} how paired: whether the sides ran in the same rounds
 * @returns {string | null} null if there are enough
 */
export function tooFewRounds({counts, paired}, how) {
  const [ones, others] = counts;
  const isEnough = (/** @type {number} */ p) => p <= thresholds.rankTestP;
  if (how.paired) {
    // Trials of fewer than three common rounds are not paired.
    if (paired && isEnough(minSignedRankP(ones))) return null;
    return `too few rounds (${ones}): a verdict needs at least ${leastOf((count) => isEnough(minSignedRankP(count)))}`;
  }
  if (isEnough(minRankSumP(ones, others))) return null;
  const least = leastOf((count) => isEnough(minRankSumP(count, count)));
  return `too few rounds (${others} on the old side, ${ones} on the new one): a verdict needs at least ${least} on each`;
}

/** @param {(count: number) => boolean} isEnough */
function leastOf(isEnough) {
  let count = 1;
  while (!isEnough(count)) count += 1;
  return count;
}

/**
 * The difference that a ratio shows if its interval, its rank test and its control agree. The control is a ratio that a difference of the sides does
 * not move: of two equal sides, or of raw TCP. Whether it differs by itself is for the caller.
 * @param {Ratio} ratio with an interval
 * @param {{ci95: Interval | null} | null} control null if there is none
 * @param {string} unequal why a difference is not shown that is within the interval of the control
 * @returns {{result: Difference, why: string | null}} why: what does not agree
 */
export function differenceShown(ratio, control, unequal) {
  const result = verdictOfRatio(ratio);
  const none = /** @type {const} */ ('no difference shown');
  if (result === none) return {result, why: null};
  if (ratio.pValue === null || ratio.pValue > thresholds.rankTestP)
    return {result: none, why: 'the rank test does not confirm the interval'};
  const [low, high] = control?.ci95 ?? [1, 1];
  return ratio.ratio >= low && ratio.ratio <= high ? {result: none, why: unequal} : {result, why: null};
}
