import {errorFunction, sum as sumOf} from 'simple-statistics';

/** With more values in both samples together, a test uses the normal approximation, because the exact distribution takes too long. */
const maxExact = 60;

/**
 * Wilcoxon's signed-rank test: exact, ties included, up to 60 pairs; above by the normal approximation (Hollander, Wolfe and Chicken,
 * Nonparametric Statistical Methods, 3rd edition, 2014, section 3.1).
 * @param {readonly number[]} differences of the pairs; zeros do not count @returns {number} two-sided p-value; 1 without differences
 */
export function signedRankTest(differences) {
  const some = differences.filter((difference) => difference !== 0);
  const ranks = doubledRanks(some.map(Math.abs));
  const positive = sumOf(ranks.filter((_, index) => some[index] > 0));
  if (some.length <= maxExact) return twoSided(subsetsBySum(ranks), positive);
  const variance = sumOf(ranks.map((rank) => rank ** 2)) / 4;
  return normalTail(positive - sumOf(ranks) / 2, variance);
}

/**
 * The rank-sum test of Wilcoxon, Mann and Whitney: exact, ties included, up to 60 values; above by the normal approximation with
 * correction for ties (Hollander, Wolfe and Chicken, section 4.1).
 * @param {readonly number[]} ones at least one @param {readonly number[]} others at least one @returns {number} two-sided p-value
 */
export function rankSumTest(ones, others) {
  const ranks = doubledRanks([...ones, ...others]);
  const sum = sumOf(ranks.slice(0, ones.length));
  return ranks.length <= maxExact
    ? twoSided(subsetsOfSizeBySum(ranks, ones.length), sum)
    : normalApproximation(ranks, sum, ones.length);
}

/** Returns the smallest p-value of the signed-rank test, reached if all pairs differ in the same direction. @param {number} pairs */
export function minSignedRankP(pairs) {
  return Math.min(1, 2 / 2 ** pairs);
}

/** Returns the smallest p-value of the rank-sum test, reached if the samples do not overlap. @param {number} ones @param {number} others */
export function minRankSumP(ones, others) {
  let arrangements = 1;
  for (let index = 1; index <= ones; index += 1) arrangements *= (others + index) / index;
  return Math.min(1, 2 / arrangements);
}

/**
 * Mann and Kendall's test for a trend: exact up to 60 values, above by the normal approximation (Mann, Econometrica 13, 1945). Without a
 * trend, all orders are equally likely.
 * @param {readonly number[]} values in the order of time; a tie counts as neither up nor down
 * @returns {number} two-sided p-value; 1 for fewer than two values
 */
export function trendTest(values) {
  const pairs = (values.length * (values.length - 1)) / 2;
  let difference = 0;
  for (const [index, later] of values.entries()) {
    for (const earlier of values.slice(0, index)) difference += Math.sign(later - earlier);
  }
  if (values.length > maxExact) return normalTail(difference, (pairs * (2 * values.length + 5)) / 9);
  // Without ties, the number of pairs in descending order is the number of inversions of a permutation.
  return twoSided(permutationsByInversions(values.length), Math.round((pairs - difference) / 2));
}

/**
 * Returns the share of the permutations with each number of inversions. The last of k values precedes 0 to k - 1 others with equal probability.
 * @param {number} length @returns {number[]} by the number of inversions
 */
function permutationsByInversions(length) {
  let shares = [1];
  for (let size = 2; size <= length; size += 1) {
    const next = new Array(shares.length + size - 1).fill(0);
    for (const [inversions, share] of shares.entries()) {
      for (let added = 0; added < size; added += 1) next[inversions + added] += share / size;
    }
    shares = next;
  }
  return shares;
}

/** Returns twice the rank of each value, so that the mean rank of ties is a whole number. @param {readonly number[]} values */
function doubledRanks(values) {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return 2 * below + equal + 1;
  });
}

/** @param {readonly number[]} ranks @returns {number[]} the number of subsets of the ranks with each sum, by sum */
function subsetsBySum(ranks) {
  const counts = [1, ...new Array(sumOf(ranks)).fill(0)];
  for (const rank of ranks) addShifted(counts, counts, rank);
  return counts;
}

/** @param {readonly number[]} ranks @param {number} size @returns {number[]} the number of subsets of the size with each sum, by sum */
function subsetsOfSizeBySum(ranks, size) {
  const bySize = Array.from({length: size + 1}, () => new Array(sumOf(ranks) + 1).fill(0));
  bySize[0][0] = 1;
  for (const rank of ranks) {
    for (let larger = size; larger >= 1; larger -= 1) addShifted(bySize[larger], bySize[larger - 1], rank);
  }
  return bySize[size];
}

/**
 * Iterates downwards, so that a rank counts once even if both arrays are the same.
 * @param {number[]} target @param {readonly number[]} source @param {number} shift
 */
function addShifted(target, source, shift) {
  for (let sum = target.length - 1; sum >= shift; sum -= 1) target[sum] += source[sum - shift];
}

/** @param {readonly number[]} frequencies @param {number} observed */
function twoSided(frequencies, observed) {
  let below = 0;
  let above = 0;
  let all = 0;
  for (const [sum, frequency] of frequencies.entries()) {
    all += frequency;
    if (sum <= observed) below += frequency;
    if (sum >= observed) above += frequency;
  }
  return Math.min(1, (2 * Math.min(below, above)) / all);
}

/** @param {readonly number[]} ranks doubled @param {number} sum of the ranks of the first sample @param {number} size of the first sample */
function normalApproximation(ranks, sum, size) {
  const count = ranks.length;
  const middle = count + 1;
  const spread = sumOf(ranks.map((rank) => (rank - middle) ** 2));
  return normalTail(sum - size * middle, (size * (count - size) * spread) / (count * (count - 1)));
}

/** @param {number} difference of a statistic from its mean @param {number} variance @returns {number} two-sided p-value */
function normalTail(difference, variance) {
  return variance === 0 ? 1 : 1 - errorFunction(Math.abs(difference) / Math.sqrt(2 * variance));
}
