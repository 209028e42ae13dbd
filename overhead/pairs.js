import {medianSorted} from 'simple-statistics';

/** With fewer values the 95 % interval of their median would be unbounded. */
export const fewestPairs = 6;

/**
 * Measures two sides in pairs, one right after the other, so that drift of the machine hits both alike. The order within
 * the pair alternates.
 *
 * @template Measured
 * @param {number} pairs how many, besides one that comes first and is thrown away: it warms caches and servers
 * @param {() => Promise<Measured>} measureOne
 * @param {() => Promise<Measured>} measureOther
 * @param {(pair: number) => void} [onPair] told the number of each pair as it is begun, 0 for the one thrown away
 * @returns {Promise<{one: Measured, other: Measured}[]>}
 */
export async function measurePairs(pairs, measureOne, measureOther, onPair = () => {}) {
  const measured = [];
  for (let pair = 0; pair <= pairs; pair += 1) {
    onPair(pair);
    measured.push(
      pair % 2 === 0 ? await forth(measureOne, measureOther) : await back(measureOne, measureOther),
    );
  }
  return measured.slice(1);
}

/**
 * @template Measured
 * @param {() => Promise<Measured>} measureOne
 * @param {() => Promise<Measured>} measureOther
 */
async function forth(measureOne, measureOther) {
  const one = await measureOne();
  return {one, other: await measureOther()};
}

/**
 * @template Measured
 * @param {() => Promise<Measured>} measureOne
 * @param {() => Promise<Measured>} measureOther
 */
async function back(measureOne, measureOther) {
  const other = await measureOther();
  return {one: await measureOne(), other};
}

/**
 * The median and its 95 % interval from order statistics, which assumes nothing of the distribution: with n values the
 * k-th smallest and the k-th largest, k the largest for which a binomial variable of n tosses of a fair coin is below k
 * with at most 2.5 % (David and Nagaraja, Order Statistics, 3rd edition, 2003, section 7.1).
 *
 * @param {readonly number[]} values at least six
 * @returns {{median: number, low: number, high: number}}
 * @throws {RangeError} for fewer
 */
export function estimateMedian(values) {
  if (values.length < fewestPairs) {
    throw new RangeError(
      `A median's 95 % interval needs at least ${fewestPairs} values; there are ${values.length}.`,
    );
  }
  const sorted = values.toSorted((one, other) => one - other);
  const rank = rankOfLowerEnd(sorted.length);
  return {median: medianSorted(sorted), low: sorted[rank - 1], high: sorted[sorted.length - rank]};
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
