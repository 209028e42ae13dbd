import assert from 'node:assert/strict';
import {test} from 'node:test';
import {estimateMedian, measurePairs} from '../../overhead/pairs.js';
import {randomSource} from '../../src/payload/random.js';

test('pairs are interleaved, their order alternates, and the first pair is discarded', async () => {
  let order = '';
  const side = (/** @type {string} */ name) => async () => {
    order += name;
    return order.length;
  };
  const pairs = await measurePairs(3, side('A'), side('B'));
  assert.equal(order, 'ABBAABBA');
  assert.deepEqual(pairs, [
    {one: 4, other: 3},
    {one: 5, other: 6},
    {one: 8, other: 7},
  ]);
});

test('each pair is announced, and a failing side ends the measurement', async () => {
  /** @type {number[]} */
  const announced = [];
  const fail = async () => {
    if (announced.length === 2) throw new Error('broken');
  };
  await assert.rejects(
    measurePairs(
      5,
      async () => {},
      fail,
      (pair) => announced.push(pair),
    ),
    /broken/,
  );
  assert.deepEqual(announced, [0, 1]);
});

// Ranks of the lower end: tables of the sign test, two-sided 5 %.
for (const [count, rank] of [
  [6, 1],
  [8, 1],
  [9, 2],
  [12, 3],
  [20, 6],
  [25, 8],
  [30, 10],
  [40, 14],
  [60, 22],
  [100, 40],
]) {
  test(`the interval of the median of ${count} values goes from the ${rank}. smallest to the ${rank}. largest`, () => {
    const values = Array.from({length: count}, (_, index) => ((index * 7919) % count) + 1);
    const shuffled = values.every((value) => values.indexOf(value) === values.lastIndexOf(value))
      ? values
      : values.map((_, index) => index + 1);
    assert.deepEqual(estimateMedian(shuffled), {
      median: (count + 1) / 2,
      low: rank,
      high: count + 1 - rank,
    });
  });
}

test('the interval contains the true median at least 95 times in 100, for a skewed distribution too', () => {
  const random = randomSource(3, 'skewed');
  const truth = 0.5 ** -0.7;
  let held = 0;
  for (let trial = 0; trial < 4000; trial += 1) {
    const values = Array.from({length: 20}, () => (1 - random()) ** -0.7);
    const {low, high} = estimateMedian(values);
    if (low <= truth && truth <= high) held += 1;
  }
  assert.ok(held / 4000 >= 0.95, String(held / 4000));
  assert.ok(held / 4000 <= 0.97, String(held / 4000));
});

test('the given values stay unchanged, and too few are refused', () => {
  const values = [3, 1, 2, 6, 5, 4];
  estimateMedian(values);
  assert.deepEqual(values, [3, 1, 2, 6, 5, 4]);
  assert.throws(() => estimateMedian([1, 2, 3, 4, 5]), /at least 6 values; there are 5/);
});
