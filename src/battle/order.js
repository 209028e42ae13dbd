import {shuffle} from 'simple-statistics';
import {randomSource} from '../payload/random.js';

/**
 * The order of one round: the groups in a random order, and the cells of each group in the order of a row of a Latin square. The same seed
 * gives the same order. All groups of one length have the same row in a round, so that cells that are compared have the same position.
 * @template One
 * @param {readonly (readonly One[])[]} groups
 * @param {number} round from 1
 * @param {number} seed
 * @returns {One[][]}
 */
export function orderOfRound(groups, round, seed) {
  const lengths = new Set(groups.map(({length}) => length));
  const rows = new Map([...lengths].map((length) => [length, rowOfRound(length, round, seed)]));
  return shuffle([...groups], randomSource(seed, `order of round ${round}`)).map((group) =>
    (rows.get(group.length) ?? []).map((index) => group[index]),
  );
}

/**
 * The rows follow in a random order with random labels, which are drawn again each time the square is used up. Only the row that is needed is
 * made: the square of thousands of sizes would not fit into memory.
 * @param {number} length
 * @param {number} round
 * @param {number} seed
 * @returns {number[]} indices
 */
function rowOfRound(length, round, seed) {
  const rowCount = rowsOfDesign(length);
  const block = Math.floor((round - 1) / rowCount);
  const random = randomSource(seed, `square ${block} of ${length}`);
  const labels = shuffle(rowOfDesign(length, 0), random);
  const order = shuffle(
    Array.from({length: rowCount}, (_, row) => row),
    random,
  );
  return rowOfDesign(length, order[(round - 1) % rowCount]).map((index) => labels[index]);
}

/**
 * A Latin square that is balanced for carry-over (Williams, "Experimental designs balanced for the estimation of residual effects of
 * treatments", 1949): each of n treatments takes each position equally often, and follows each other one equally often. For an even n
 * the square has n rows, for an odd n it takes 2n, of which the second half is the first in reverse.
 * @param {number} count n, at least 1
 * @returns {number} how many rows it has
 */
export function rowsOfDesign(count) {
  return count % 2 === 0 || count === 1 ? count : 2 * count;
}

/**
 * @param {number} count n, at least 1
 * @param {number} row from 0
 * @returns {number[]} the numbers from 0 to n - 1
 */
export function rowOfDesign(count, row) {
  const shift = row % count;
  const treatments = Array.from({length: count}, (_, position) => {
    const first = position % 2 === 0 ? (count - position / 2) % count : (position + 1) / 2;
    return (first + shift) % count;
  });
  return row < count ? treatments : treatments.reverse();
}
