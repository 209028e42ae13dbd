import {mean, sampleVariance} from 'simple-statistics';
import {halfWidth95, studentQuantile} from './interval.js';
import {groupBy} from './numbers.js';
import {rankSumTest, signedRankTest} from './rank-tests.js';

/** @import {Interval} from './interval.js' */

/** With fewer common rounds, the trials are not paired. */
const minPairs = 3;

/**
 * Returns how many times as long one cell takes as another, from the figures of their trials. The trials of a round are a block, because a
 * slow phase of the host affects both. If both cells ran in at least three common rounds, each of these rounds gives one ratio, and only they
 * count. Otherwise the two samples are independent, and the interval is Welch's (Biometrika 34, 1947).
 *
 * The ratio is that of the means. The width of its interval comes from Student's t on the logarithms, as for `intervalAround`.
 *
 * @param {readonly Trial[]} ones at least one
 * @param {readonly Trial[]} others at least one
 * @param {(values: number[]) => number} [typical] the figure of a cell from those of its trials; default: the mean
 * @returns {Ratio}
 *
 * @typedef {{round: number, figureMs: number}} Trial figureMs: above zero
 *
 * @typedef {object} Ratio
 * @property {number} ratio of the first mean to the second
 * @property {Interval | null} ci95 95 % interval; null without two pairs, or two trials on each side
 * @property {number | null} pValue of a two-sided rank test: Wilcoxon's signed-rank test if paired, otherwise the rank-sum test; null if
 *   ci95 is null. The p-value of five pairs is at least 0.0625
 * @property {boolean} paired
 */
export function ratioOf(ones, others, typical = mean) {
  const one = byRound(ones);
  const other = byRound(others);
  const common = [...one.keys()].filter((round) => other.has(round));
  if (common.length >= minPairs) {
    const valuesOf = (/** @type {Map<number, number>} */ figures) =>
      common.map((round) => figures.get(round) ?? 0);
    return pairedRatio(valuesOf(one), valuesOf(other), typical);
  }
  return ratioOfIndependent(ones, others, typical);
}

/**
 * Returns the ratio of trials without common rounds, such as those of two battles. The interval is Welch's.
 * @param {readonly Pick<Trial, 'figureMs'>[]} ones at least one @param {readonly Pick<Trial, 'figureMs'>[]} others at least one
 * @param {(values: number[]) => number} [typical] @returns {Ratio}
 */
export function ratioOfIndependent(ones, others, typical = mean) {
  const [one, other] = [ones, others].map((trials) => trials.map(({figureMs}) => figureMs));
  const ratio = typical(one) / typical(other);
  if (Math.min(one.length, other.length) < 2) return {ratio, ci95: null, pValue: null, paired: false};
  const ci95 = around(ratio, welchHalfWidth(one.map(Math.log), other.map(Math.log)));
  return {ratio, ci95, pValue: rankSumTest(one, other), paired: false};
}

/** The ratio of a cell to itself is 1 by definition, however its trials vary. @type {Ratio} */
export const ratioToItself = {ratio: 1, ci95: [1, 1], pValue: 1, paired: true};

/**
 * Returns whether figures have a ratio. With a time or a rate of zero, the ratio would be infinite or not a number.
 * @param {readonly Pick<Trial, 'figureMs'>[]} trials
 */
export function haveRatio(trials) {
  return trials.every(({figureMs}) => figureMs > 0 && Number.isFinite(figureMs));
}

/** Returns half the width of the interval of a ratio's logarithm; 0 without an interval. @param {{ci95: Interval | null}} ratio */
export function halfWidthOf({ci95}) {
  return ci95 ? Math.log(ci95[1] / ci95[0]) / 2 : 0;
}

/**
 * Returns whether a difference exceeds the distance of two equal sides of the same battle, which may be larger than their intervals suggest.
 * A distance is a sample of one, so it is multiplied by Student's t for one degree of freedom, 12.7.
 * @param {Pick<Ratio, 'ratio' | 'ci95'>} ratio @param {Pick<Ratio, 'ratio'>} equal of the two equal sides
 */
export function isBeyondEqual(ratio, equal) {
  const ofEqual = studentQuantile(0.975, 1) * Math.abs(Math.log(equal.ratio));
  return Math.abs(Math.log(ratio.ratio)) > Math.hypot(halfWidthOf(ratio), ofEqual);
}

/** A round has two trials if one was repeated. Their mean counts once. @param {readonly Trial[]} trials */
function byRound(trials) {
  const rounds = [...groupBy(trials, ({round}) => round)];
  return new Map(rounds.map(([round, some]) => [round, mean(some.map(({figureMs}) => figureMs))]));
}

/** @param {number[]} ones @param {number[]} others @param {(values: number[]) => number} typical @returns {Ratio} */
function pairedRatio(ones, others, typical) {
  const differences = ones.map((value, pair) => Math.log(value / others[pair]));
  const ratio = typical(ones) / typical(others);
  const ci95 = around(ratio, halfWidth95(differences));
  return {ratio, ci95, pValue: signedRankTest(differences), paired: true};
}

/** @param {readonly number[]} ones @param {readonly number[]} others */
function welchHalfWidth(ones, others) {
  const [one, other] = [ones, others].map((values) => sampleVariance([...values]) / values.length);
  const variance = one + other;
  if (variance === 0) return 0;
  const degrees = variance ** 2 / (one ** 2 / (ones.length - 1) + other ** 2 / (others.length - 1));
  return studentQuantile(0.975, degrees) * Math.sqrt(variance);
}

/** @param {number} ratio @param {number} half half the width of the logarithm's interval @returns {Interval} */
function around(ratio, half) {
  return [ratio / Math.exp(half), ratio * Math.exp(half)];
}
