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
  return shuffle([...groups], randomSource(seed, `order of round ${round}`)).map((group) =>
    rowOfRound(group.length, round, seed).map((index) => group[index]),
  );
}

/**
 * The rows follow in a random order with random labels, which are drawn again each time the square is used up.
 * @param {number} length
 * @param {number} round
 * @param {number} seed
 * @returns {number[]} indices
 */
function rowOfRound(length, round, seed) {
  const square = williamsDesign(length);
  const block = Math.floor((round - 1) / square.length);
  const random = randomSource(seed, `square ${block} of ${length}`);
  const labels = shuffle([...square[0]], random);
  const rows = shuffle(square, random);
  return rows[(round - 1) % rows.length].map((index) => labels[index]);
}

/**
 * A Latin square that is balanced for carry-over (Williams, "Experimental designs balanced for the estimation of residual effects of
 * treatments", 1949): each of n treatments takes each position equally often, and follows each other one equally often. For an even n
 * the square has n rows, for an odd n it takes 2n, of which the second half is the first in reverse.
 * @param {number} count n, at least 1
 * @returns {number[][]} rows of the numbers from 0 to n - 1
 */
export function williamsDesign(count) {
  const first = Array.from({length: count}, (_, position) =>
    position % 2 === 0 ? (count - position / 2) % count : (position + 1) / 2,
  );
  const rows = first.map((_, shift) => first.map((treatment) => (treatment + shift) % count));
  const isBalanced = count % 2 === 0 || count === 1;
  return isBalanced ? rows : [...rows, ...rows.map((row) => row.toReversed())];
}
