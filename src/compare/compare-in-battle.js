import {mean, median} from 'simple-statistics';
import {timeOfTrial} from '../results/comparable.js';
import {minRankSumP, minSignedRankP} from '../stats/rank-tests.js';
import {haveRatio, isBeyondEqual, ratioOf} from '../stats/ratio.js';
import {thresholds, verdictOfRatio} from '../stats/thresholds.js';
import {sharedDisturbance, spoilsRatio} from '../verdict/comparison.js';
import {workloads} from '../workloads/index.js';

/**
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Interval} from '../stats/interval.js'
 * @import {Ratio, Trial} from '../stats/ratio.js'
 * @import {Difference} from '../stats/thresholds.js'
 * @import {SideComparison} from './types.js'
 */

/**
 * Compares the sides of a battle, cell by cell. The sides ran in the same rounds, so their ratios are paired by round. The ratio of the two equal
 * sides is the control: a difference within its interval does not count. If the equal sides differ, only a far larger difference counts.
 * @param {readonly CellRecord[]} records
 */
export function compareInBattle(records) {
  const of = (/** @type {string} */ side) => records.filter(({variant}) => variant.side === side);
  const [ones, agains, others] = [of('a'), of('a again'), of('b')];
  return ones.map((a, index) => compare({a, again: agains[index], b: others[index]}));
}

/** @param {Pick<SideComparison, 'a' | 'again' | 'b'>} sides */
function compare(sides) {
  const {a, again, b} = sides;
  const cannotTell = (
    /** @type {string} */ why,
    /** @type {Pick<SideComparison, 'ratio' | 'equal'>} */ ratios = {ratio: null, equal: null},
  ) => /** @type {SideComparison} */ ({...sides, ...ratios, result: 'cannot tell', why});
  if (a.outcome !== 'completed' || again.outcome !== 'completed' || b.outcome !== 'completed') {
    const without = Object.entries(sides).find(([, {outcome}]) => outcome !== 'completed');
    return cannotTell(`${without?.[0]} ${without?.[1].outcome}`);
  }
  const ratio = ratioOfRecords(b, a, ratioOf);
  const equal = ratioOfRecords(again, a, ratioOf);
  if (ratio === null || equal === null) return cannotTell(noRatio, {ratio, equal});
  const trials = [a, b].flatMap((record) => record.trials.filter(({used}) => used));
  const how = {isPaired: true, areInTurn: sharedDisturbance(trials)};
  const suspects = Object.entries({a, b})
    .filter(([, {verdict}]) => verdict.warnings.some(({code}) => spoilsRatio(code, how)))
    .map(([name]) => name);
  const reasons = [
    tooFewRounds(ratio, {paired: true, leftOut: roundsLeftOut([a, b])}),
    suspects.length > 0 ? `${suspects.join(' and ')} suspect` : null,
  ].filter((reason) => reason !== null);
  if (reasons.length > 0) return cannotTell(reasons.join('; '), {ratio, equal});
  const isEqual = verdictOfRatio(equal) === 'no difference shown';
  const shown = differenceShown(ratio, isEqual ? equal : null, 'two equal sides may differ as much');
  if (shown.result === 'no difference shown' || isEqual) return {...sides, ratio, equal, ...shown};
  return isBeyondEqual(ratio, equal)
    ? {...sides, ratio, equal, result: shown.result, why: 'far beyond what two equal sides differ by'}
    : cannotTell('two equal sides differ, too', {ratio, equal});
}

/**
 * Divides the time of one record by the time of another. Only used trials count, with the figure of their workload.
 * @param {CompletedRecord} one
 * @param {CompletedRecord} other a record of the same workload
 * @param {(ones: Trial[], others: Trial[], typical: (values: number[]) => number) => Ratio} ratio pairs the trials by round, or takes them as independent
 * @returns {RatioOfTrials | null} null if the figure of a trial is zero
 *
 * @typedef {Ratio & {counts: [ones: number, others: number]}} RatioOfTrials counts: the numbers of trials; if paired, the number of common rounds
 */
export function ratioOfRecords(one, other, ratio) {
  const {aggregate = 'mean'} = workloads[one.workload] ?? {};
  const [ones, others] = [trialsOf(one), trialsOf(other)];
  // The download of a large page leaves out the trials.
  if (ones.length === 0 || others.length === 0 || !haveRatio([...ones, ...others])) return null;
  const made = ratio(ones, others, {mean, median}[aggregate]);
  return {...made, counts: made.paired ? roundsInCommon(ones, others) : [ones.length, others.length]};
}

/** @param {readonly Trial[]} ones @param {readonly Trial[]} others @returns {[number, number]} */
function roundsInCommon(ones, others) {
  const rounds = new Set(ones.map(({round}) => round));
  const {size} = new Set(others.map(({round}) => round).filter((round) => rounds.has(round)));
  return [size, size];
}

/** @param {CompletedRecord} record */
function trialsOf({comparedBy, trials}) {
  return trials
    .filter(({used}) => used)
    .map((trial) => ({round: trial.round, figureMs: timeOfTrial(comparedBy, trial)}));
}

export const noRatio = 'a figure is zero, or a record has no trials, so there is no ratio';

/** The number of rounds in which a trial does not count. @param {readonly CompletedRecord[]} records */
function roundsLeftOut(records) {
  const unused = records.flatMap(({trials}) => trials.filter(({used}) => !used));
  return new Set(unused.map(({round}) => round)).size;
}

/**
 * With too few rounds, the rank test cannot reach its p-value, whatever the figures are.
 * @param {Pick<RatioOfTrials, 'counts' | 'paired'>} ratio
 * @param {{paired: boolean, leftOut?: number}} how paired: whether the sides ran in the same rounds; leftOut: the number of rounds that do not count
 * @returns {string | null} the reason; null if there are enough rounds
 */
export function tooFewRounds({counts, paired}, how) {
  const [ones, others] = counts;
  const {leftOut = 0} = how;
  const isEnough = (/** @type {number} */ p) => p <= thresholds.rankTestP;
  if (how.paired) {
    // Trials are not paired if they have fewer than three common rounds.
    if (paired && isEnough(minSignedRankP(ones))) return null;
    const least = leastOf((count) => isEnough(minSignedRankP(count)));
    if (leftOut === 0) return `too few rounds (${ones}): a verdict needs at least ${least}`;
    const reason = leftOut === 1 ? 'a trial was disturbed' : 'trials were disturbed';
    const all = ones + leftOut;
    return `${ones} of the ${all} rounds count, because ${reason}; a verdict needs at least ${least} (use --rounds ${2 * Math.max(all, least)})`;
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
 * The difference that a ratio shows if its interval, its rank test and its control agree. The control is a ratio that the difference of the sides
 * does not affect: the ratio of two equal sides, or of raw TCP. The caller decides whether the control itself shows a difference.
 * @param {Ratio} ratio a ratio with an interval @param {{ci95: Interval | null} | null} control null without a control
 * @param {string} unequal the reason if the ratio is within the interval of the control
 * @returns {{result: Difference, why: string | null}} why: the reason for no difference
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
