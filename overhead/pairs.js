import {medianSorted} from 'simple-statistics';

/** With fewer values the 95 % interval of their median would be unbounded. */
export const minPairs = 6;

/**
 * Measures two sides in pairs, one directly after the other, so that drift of the machine affects both sides equally. The order
 * within a pair alternates.
 *
 * @template Measured
 * @param {number} pairs the number of pairs. One more comes first and is discarded: it warms up caches and servers
 * @param {() => Promise<Measured>} measureOne
 * @param {() => Promise<Measured>} measureOther
 * @param {(pair: number) => void} [onPair] called with the number of each pair when it starts, 0 for the discarded one
 * @returns {Promise<{one: Measured, other: Measured}[]>}
 */
export async function measurePairs(pairs, measureOne, measureOther, onPair = () => {}) {
  const measured = [];
  for (let pair = 0; pair <= pairs; pair += 1) {
    onPair(pair);
    measured.push(
      pair % 2 === 0 ? await inOrder(measureOne, measureOther) : await inReverse(measureOne, measureOther),
    );
  }
  return measured.slice(1);
}

/**
 * @template Measured
 * @param {() => Promise<Measured>} measureOne
 * @param {() => Promise<Measured>} measureOther
 */
async function inOrder(measureOne, measureOther) {
  const one = await measureOne();
  return {one, other: await measureOther()};
}

/**
 * @template Measured
 * @param {() => Promise<Measured>} measureOne
 * @param {() => Promise<Measured>} measureOther
 */
async function inReverse(measureOne, measureOther) {
  const other = await measureOther();
  return {one: await measureOne(), other};
}

/**
 * The median and its 95 % interval from order statistics, which makes no assumption about the distribution. The interval goes
 * from the k-th smallest to the k-th largest of n values. k is the largest number for which a binomial variable (n tosses of a
 * fair coin) is below k with a probability of at most 2.5 % (David and Nagaraja, Order Statistics, 3rd edition, 2003, section 7.1).
 *
 * @param {readonly number[]} values at least six
 * @returns {{median: number, low: number, high: number}}
 * @throws {RangeError} for fewer values
 */
export function estimateMedian(values) {
  if (values.length < minPairs) {
    throw new RangeError(
      `The 95 % interval of a median needs at least ${minPairs} values; there are ${values.length}.`,
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
