import {medianSorted} from 'simple-statistics';
import {ratioOf} from '../src/stats/ratio.js';

/** @import {Bench, Estimate, Row} from './part.js' */

/** With fewer values, the 95 % interval of their median would be unbounded. */
const minValues = 6;

/**
 * Measures the ratio of two sides in pairs until its interval is narrow enough.
 * @param {Bench} bench @param {object} comparison
 * @param {string} comparison.what
 * @param {Row['bound']} comparison.bound of the ratio
 * @param {string} [comparison.explanation] why a ratio beyond the bound is no failure
 * @param {string} comparison.unit of both sides
 * @param {() => Promise<number>} comparison.one
 * @param {() => Promise<number>} comparison.other
 * @returns {Promise<Row>} @throws {Error} when a side gives no figure above 0
 */
export async function compareSides(bench, {what, bound, explanation, unit, one, other}) {
  const measured = await measurePairs(bench, {
    what,
    one: async () => requireFigure(await one(), what),
    other: async () => requireFigure(await other(), what),
    isEnough: (pairs) => isPrecise(pairs, bench),
  });
  const row = rowOf(measured, {what, bound, unit});
  return explanation === undefined ? row : {...row, explanation};
}

/** @typedef {{one: number, other: number}} Pair the figures of both sides */

/** @param {readonly Pair[]} pairs @param {Pick<Row, 'what' | 'bound' | 'unit'>} comparison unit: of both sides @returns {Row} of the ratio */
export function rowOf(pairs, {what, bound, unit}) {
  const sides = {one: pairs.map((pair) => pair.one), other: pairs.map((pair) => pair.other), unit};
  return {what, bound, estimate: estimateRatio(pairs), unit: '', sides};
}

/** Returns whether the interval of the ratio is narrow enough. @param {readonly Pair[]} pairs @param {Pick<Bench, 'extent'>} bench */
export function isPrecise(pairs, {extent}) {
  const {value, ci95} = estimateRatio(pairs);
  return ci95 !== null && ci95[1] - ci95[0] <= 2 * extent.precision * value;
}

/**
 * @param {number | null} figure @param {string} what
 * @throws {Error} when a run was too short for the figure, and when the figure is not above 0
 */
export function requireFigure(figure, what) {
  if (figure !== null && figure > 0) return figure;
  throw new Error(`${what}: a run gave ${figure} in place of a figure. Is it long enough for one?`);
}

/**
 * Measures two sides in pairs, one directly after the other, so that drift of the machine affects both sides equally. The order within a pair
 * alternates. An additional pair comes first to warm up caches and servers, and is discarded, unless only one pair is requested.
 * @template Measured
 * @param {Bench} bench @param {object} comparison
 * @param {string} comparison.what
 * @param {() => Promise<Measured>} comparison.one
 * @param {() => Promise<Measured>} comparison.other
 * @param {(pairs: readonly {one: Measured, other: Measured}[]) => boolean} [comparison.isEnough]
 * @returns {Promise<{one: Measured, other: Measured}[]>}
 */
export async function measurePairs(bench, {what, one, other, isEnough}) {
  if (bench.extent.pairs !== 1) await inOrder(one, other);
  return await repeat(
    bench,
    what,
    (pair) => (pair % 2 === 0 ? inReverse(one, other) : inOrder(one, other)),
    isEnough,
  );
}

/**
 * Repeats a run: a given number of times, or until `isEnough` or the end of the time. A decision needs six runs. The rule looks only at the width
 * of an interval, never at its position, so it does not favour an outcome.
 * @template Measured
 * @param {Pick<Bench, 'extent' | 'onRun'>} bench @param {string} what @param {(run: number) => Promise<Measured>} measure
 * @param {(measured: readonly Measured[]) => boolean} [isEnough] default: after ten runs
 * @returns {Promise<Measured[]>}
 */
export async function repeat({extent, onRun}, what, measure, isEnough = ({length}) => length >= 10) {
  const {pairs, budgetMs} = extent;
  const endAtMs = performance.now() + budgetMs;
  /** @type {Measured[]} */
  const measured = [];
  const goesOn = () => {
    if (pairs !== null) return measured.length < pairs;
    return measured.length < minValues || (performance.now() < endAtMs && !isEnough(measured));
  };
  while (goesOn()) {
    onRun(what, measured.length);
    measured.push(await measure(measured.length));
  }
  return measured;
}

/** Returns the length of a run, in whole units. @param {Pick<Bench, 'length'>} bench @param {number} usual */
export function scaled({length}, usual) {
  return Math.max(1, Math.round(usual * length));
}

/** @template Measured @param {() => Promise<Measured>} measureOne @param {() => Promise<Measured>} measureOther */
async function inOrder(measureOne, measureOther) {
  const one = await measureOne();
  return {one, other: await measureOther()};
}

/** @template Measured @param {() => Promise<Measured>} measureOne @param {() => Promise<Measured>} measureOther */
async function inReverse(measureOne, measureOther) {
  const other = await measureOther();
  return {one: await measureOne(), other};
}

/** Pairs the sides by round, as a battle does. @param {readonly Pair[]} pairs */
function estimateRatio(pairs) {
  const trialsOf = (/** @type {'one' | 'other'} */ side) =>
    pairs.map((pair, round) => ({round, figureMs: pair[side]}));
  const {ratio, ci95} = ratioOf(trialsOf('one'), trialsOf('other'));
  return {value: ratio, ci95, count: pairs.length};
}

/**
 * Returns the median and its 95 % interval from order statistics, without an assumption about the distribution. The interval goes from the k-th
 * smallest to the k-th largest of n values. A binomial variable (n tosses of a fair coin) is below k with a probability of at most 2.5 %, and k
 * is the largest such number (David and Nagaraja, Order Statistics, 3rd edition, 2003, section 7.1).
 * @param {readonly number[]} values at least one @returns {Estimate} without an interval for fewer than six values
 */
export function estimateMedian(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const count = sorted.length;
  const value = medianSorted(sorted);
  if (count < minValues) return {value, ci95: null, count};
  const rank = rankOfLowerEnd(count);
  return {value, ci95: [sorted[rank - 1], sorted[count - rank]], count};
}

/** @param {number} count @returns {number} counted from 1 */
function rankOfLowerEnd(count) {
  let probability = 0.5 ** count;
  let below = probability;
  let rank = 0;
  while (below <= 0.025) {
    rank += 1;
    probability *= (count - rank + 1) / rank;
    below += probability;
  }
  return rank;
}
