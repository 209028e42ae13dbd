import {mean, median} from 'simple-statistics';
import {formatOwnRatio} from '../columns/figures.js';
import {nameOfCell} from '../columns/names.js';
import {timeOfTrial} from '../results/comparable.js';
import {minRankSumP, minSignedRankP} from '../stats/rank-tests.js';
import {haveRatio, isBeyondEqual, ratioOf} from '../stats/ratio.js';
import {thresholds, verdictOfRatio} from '../stats/thresholds.js';
import {sharedDisturbance, spoilsRatio} from '../verdict/comparison.js';
import {workloads} from '../workloads/index.js';

/**
 * @import {Judgement} from '../expect/types.js'
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Interval} from '../stats/interval.js'
 * @import {Ratio, Trial} from '../stats/ratio.js'
 * @import {Difference} from '../stats/thresholds.js'
 * @import {Comparison, SideComparison} from './types.js'
 */

/**
 * Compares the sides of a battle, cell by cell. They ran in the same rounds, so the ratios are paired by round. What the two equal sides
 * show is no effect of the difference: where they differ, too, only a far larger difference counts, and none that is within their interval.
 * @param {readonly CellRecord[]} records @returns {SideComparison[]}
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
    tooFewRounds(ratio, {paired: true}),
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

/** @typedef {Pick<Comparison, 'old' | 'new' | 'isFloor' | 'result' | 'why'> & {ratio: {ratio: number, ci95: Interval | null} | null}} Judged */

/**
 * Judges the expectation that the new side is not slower by a share or more. It fails where a slowdown is shown and as large. It cannot tell
 * of a cell whose figures cannot be compared: one that failed on a side, or that the new side lacks, is not seen to be as fast. Of the cells
 * that only the new side has, those that failed are among them. Raw TCP is what others are measured by, so it is not judged.
 * @param {readonly Judged[]} comparisons @param {number} share such as 0.05
 * @param {string} [standard] what the new side is compared with, for a person
 * @returns {Judgement[]} of each cell for which it does not hold; otherwise one
 */
export function judgeSlowdown(comparisons, share, standard = 'before') {
  const expectation = `--fail-if-slower ${Number((share * 100).toFixed(4))}%`;
  const judged = comparisons.filter(
    ({isFloor, old, new: now}) => !isFloor && (old !== null || now?.outcome !== 'completed'),
  );
  const found = judged.flatMap((comparison) => {
    const judgement = judgeOne(comparison, 1 + share, standard);
    return judgement === null ? [] : [{expectation, cell: comparison.new?.id ?? null, ...judgement}];
  });
  if (found.length > 0) return found;
  const highest = Math.max(...judged.map(({ratio}) => ratio?.ci95?.[1] ?? 0));
  const sentence =
    judged.length === 0
      ? 'the sides have no cell in common but raw TCP'
      : `no cell is slower by as much. The intervals reach up to ${highest.toFixed(2)}×: a smaller change may be hidden`;
  return [
    {
      expectation,
      cell: null,
      outcome: judged.length === 0 ? 'cannot tell' : 'holds',
      sentence: `${expectation}: ${sentence}`,
    },
  ];
}

/**
 * @param {Judged} comparison of a cell that is judged
 * @param {number} limit @param {string} standard
 * @returns {Pick<Judgement, 'outcome' | 'sentence'> | null} null: it is not slower by as much
 */
function judgeOne({old, new: now, ratio, result, why}, limit, standard) {
  const name = nameOfCell(/** @type {CellRecord} */ (now ?? old));
  if (result === 'cannot tell' || result === 'not comparable')
    return {outcome: 'cannot tell', sentence: `${name}: ${why}`};
  if (ratio === null || ratio.ratio < limit) return null;
  const sentence = `${name}: it takes ${formatOwnRatio(ratio)} as long as ${standard}`;
  if (result === 'slower') return {outcome: 'fails', sentence};
  // Its interval alone shows a slowdown, and the other instruments do not agree: the gate does not see that there is none.
  return why === null ? null : {outcome: 'cannot tell', sentence: `${sentence}, but ${why}`};
}
