import assert from 'node:assert/strict';
import {test} from 'node:test';
import {compareSides, estimateMedian, measurePairs, repeat, scaled} from '../../overhead/pairs.js';
import {randomSource} from '../../src/payload/random.js';

/** @import {Bench} from '../../overhead/part.js' */

/** @param {Partial<Bench['extent']>} extent @param {number[]} [announced] @returns {Bench} */
function bench(extent, announced = []) {
  return {
    extent: {pairs: null, precision: 0.03, budgetMs: 60_000, ...extent},
    length: 1,
    matching: '',
    battles: {count: 0, kinds: [], folder: '', options: []},
    signal: new AbortController().signal,
    log: () => {},
    brokerOf: () => assert.fail('no broker is needed'),
    onRun: (_, run) => announced.push(run),
  };
}

test('pairs are interleaved, their order alternates, and the first pair is discarded', async () => {
  let order = '';
  const side = (/** @type {string} */ name) => async () => {
    order += name;
    return order.length;
  };
  const pairs = await measurePairs(bench({pairs: 3}), {what: '', one: side('A'), other: side('B')});
  assert.equal(order, 'ABBAABBA');
  assert.deepEqual(pairs, [
    {one: 4, other: 3},
    {one: 5, other: 6},
    {one: 8, other: 7},
  ]);
});

test('each run is announced, and a failing one ends the measurement', async () => {
  /** @type {number[]} */
  const announced = [];
  const measure = async (/** @type {number} */ run) => {
    if (run === 1) throw new Error('broken');
  };
  await assert.rejects(repeat(bench({pairs: 5}, announced), 'runs', measure), /broken/);
  assert.deepEqual(announced, [0, 1]);
});

test('a given number of runs is exact, whatever the time and the measure of enough', async () => {
  const runs = await repeat(
    bench({pairs: 3, budgetMs: 0}),
    '',
    async (run) => run,
    () => false,
  );
  assert.deepEqual(runs, [0, 1, 2]);
});

test('without a number, runs go on until there is enough, but there are six at least', async () => {
  const enoughAt = (/** @type {number} */ count) =>
    repeat(
      bench({}),
      '',
      async (run) => run,
      ({length}) => length >= count,
    );
  assert.equal((await enoughAt(2)).length, 6);
  assert.equal((await enoughAt(23)).length, 23);
  assert.equal((await repeat(bench({}), '', async (run) => run)).length, 10);
});

test('runs end when the time is up, but there are six at least', async () => {
  const never = () => false;
  assert.equal((await repeat(bench({budgetMs: 0}), '', async (run) => run, never)).length, 6);
});

test('sides are compared until the interval of their ratio is within the precision', async () => {
  const random = randomSource(1, 'sides');
  const compare = async (/** @type {number} */ precision) => {
    const {estimate, sides} = await compareSides(bench({precision}), {
      what: 'sides',
      bound: null,
      unit: 'ms',
      one: async () => 11 * (1 + (random() - 0.5) / 5),
      other: async () => 10,
    });
    const [low, high] = estimate.ci95 ?? assert.fail('no interval');
    assert.ok(low <= 1.1 && 1.1 <= high, `${low} to ${high}`);
    assert.ok((high - low) / 2 <= precision * estimate.value);
    assert.equal(sides?.one.length, estimate.count);
    return estimate.count;
  };
  assert.ok((await compare(0.01)) > 2 * (await compare(0.05)));
});

test('a side without a figure ends the comparison', async () => {
  const comparison = {what: 'tcp, 1 KB', bound: null, unit: 'ms', one: async () => 1};
  for (const figure of [/** @type {any} */ (null), Number.NaN, 0]) {
    const sides = compareSides(bench({pairs: 1}), {...comparison, other: async () => figure});
    await assert.rejects(sides, /tcp, 1 KB: a run gave (null|NaN|0) in place of a figure/);
  }
});

test('the length of a run is scaled to a whole number of at least one', () => {
  assert.equal(scaled({length: 1}, 3000), 3000);
  assert.equal(scaled({length: 0.0015}, 3000), 5);
  assert.equal(scaled({length: 0.0001}, 300), 1);
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
      value: (count + 1) / 2,
      ci95: [rank, count + 1 - rank],
      count,
    });
  });
}

test('the interval contains the true median at least 95 times in 100, for a skewed distribution too', () => {
  const random = randomSource(3, 'skewed');
  const truth = 0.5 ** -0.7;
  let held = 0;
  for (let trial = 0; trial < 4000; trial += 1) {
    const values = Array.from({length: 20}, () => (1 - random()) ** -0.7);
    const [low, high] = estimateMedian(values).ci95 ?? assert.fail('no interval');
    if (low <= truth && truth <= high) held += 1;
  }
  assert.ok(held / 4000 >= 0.95, String(held / 4000));
  assert.ok(held / 4000 <= 0.97, String(held / 4000));
});

test('the given values stay unchanged, and too few have no interval', () => {
  const values = [3, 1, 2, 6, 5, 4];
  estimateMedian(values);
  assert.deepEqual(values, [3, 1, 2, 6, 5, 4]);
  assert.deepEqual(estimateMedian([5, 1, 2, 3, 4]), {value: 3, ci95: null, count: 5});
});
