import assert from 'node:assert/strict';
import {test} from 'node:test';
import {randomSource} from '../../src/payload/random.js';
import {rankSumTest, signedRankTest, trendTest} from '../../src/stats/rank-tests.js';

/** @param {number} actual @param {number} expected */
function assertClose(actual, expected) {
  assert.ok(Math.abs(actual - expected) < 5e-5, `${actual}, not ${expected}`);
}

test('the signed-rank test gives the p-value of the published example', () => {
  // Hollander and Wolfe, the depression data; R: wilcox.test(before, after, paired = TRUE), V = 40.
  const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
  const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
  assertClose(signedRankTest(before.map((value, pair) => value - after[pair])), 0.039_06);
});

test('the rank-sum test gives the p-value of the published example', () => {
  // Hollander and Wolfe, the permeability data; R: wilcox.test(x, y), W = 35.
  const term = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
  const earlier = [1.15, 0.88, 0.9, 0.74, 1.21];
  assertClose(rankSumTest(term, earlier), 0.2544);
});

test('five pairs that all differ in the same direction have a p-value of 2 / 32, and six of 2 / 64', () => {
  assertClose(signedRankTest([1, 2, 3, 4, 5]), 2 / 32);
  assertClose(signedRankTest([-1, -2, -3, -4, -5, -6]), 2 / 64);
});

test('pairs that do not differ count for nothing', () => {
  assert.equal(signedRankTest([0, 0]), 1);
  assert.equal(signedRankTest([0, 1, 2, 3]), signedRankTest([1, 2, 3]));
});

test('ties share their ranks: every assignment of signs or samples is counted', () => {
  // All differences are equal: 2 of the 2^4 assignments of signs are as extreme as four of one sign.
  assertClose(signedRankTest([1, 1, 1, 1]), 2 / 16);
  // Of the 6 pairs out of 1, 1, 2, 2, one has the lowest sum.
  assertClose(rankSumTest([1, 1], [2, 2]), 2 / 6);
  assert.equal(rankSumTest([1, 1], [1, 1]), 1);
});

test('large samples use the normal approximation, which is close to the exact test', () => {
  const next = randomSource(3, 'rank sum');
  const sample = (/** @type {number} */ length, shift = 0) => Array.from({length}, () => next() + shift);
  const [ones, others] = [sample(30), sample(30, 0.1)];
  const exact = rankSumTest(ones, others);
  const approximate = rankSumTest([...ones, 0.5], others);
  assert.ok(Math.abs(exact - approximate) < 0.05, `${exact}, ${approximate}`);
  assert.ok(rankSumTest(sample(40), sample(40, 2)) < 1e-5);
});

test('the trend test of five values in order has a p-value of 2 / 5!, and with one exchange of 10 / 5!', () => {
  assertClose(trendTest([1, 2, 3, 4, 5]), 2 / 120);
  assertClose(trendTest([5, 4, 3, 2, 1]), 2 / 120);
  assertClose(trendTest([1, 2, 3, 5, 4]), 10 / 120);
  assert.equal(trendTest([1]), 1);
});

test('the trend test is exact: over all orders of six values, as many are below a p-value as it says', () => {
  const orders = permutationsOf([1, 2, 3, 4, 5, 6]);
  const values = orders.map(trendTest);
  for (const level of new Set(values)) {
    const share = values.filter((value) => value <= level + 1e-12).length / orders.length;
    assert.ok(share <= level + 1e-9, `${level}: ${share}`);
  }
  assertClose(Math.min(...values), 2 / 720);
});

/** @param {readonly number[]} values @returns {number[][]} */
function permutationsOf(values) {
  if (values.length < 2) return [[...values]];
  return values.flatMap((value, index) =>
    permutationsOf(values.toSpliced(index, 1)).map((rest) => [value, ...rest]),
  );
}

test('the normal approximations of many pairs, and of many values in the order of time, are close to the exact tests', () => {
  const next = randomSource(4, 'approximations');
  const values = Array.from({length: 60}, (_, index) => next() + index / 400);
  const differences = values.map((value) => value - 0.57);
  for (const [name, test_, some, one] of /** @type {const} */ ([
    ['signed-rank', signedRankTest, differences, 0.02],
    ['trend', trendTest, values, 0.7],
  ])) {
    const [exact, approximate] = [test_(some), test_([...some, one])];
    assert.ok(exact > 0.001 && exact < 0.9, `${name}: ${exact}`);
    assert.ok(Math.abs(exact - approximate) < 0.05, `${name}: ${exact}, ${approximate}`);
  }
  const rising = Array.from({length: 2000}, (_, index) => index + 1);
  assert.ok(trendTest(rising) < 1e-6 && signedRankTest(rising) < 1e-6);
});
