import assert from 'node:assert/strict';
import {test} from 'node:test';
import {randomSource} from '../../src/payload/random.js';
import {interval95, isBelow} from '../../src/stats/interval.js';

const random = () => randomSource(1, 'test');

test("the interval of five trials is Student's t", () => {
  // R: t.test(c(1.02, 0.98, 1.05, 0.97, 1.01))$conf.int
  const [low, high] = /** @type {[number, number]} */ (interval95([1.02, 0.98, 1.05, 0.97, 1.01], random()));
  assert.ok(Math.abs(low - 0.966_151) < 1e-5, String(low));
  assert.ok(Math.abs(high - 1.045_849) < 1e-5, String(high));
});

test('a single trial has no interval', () => {
  assert.equal(interval95([1], random()), null);
});

test('from ten trials on the interval is a bootstrap that repeats with its seed', () => {
  const means = [1, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98, 1.01, 0.99, 1.2];
  const one = interval95(means, random());
  assert.deepEqual(one, interval95(means, random()));
  assert.notDeepEqual(one, interval95(means, randomSource(2, 'test')));
  const [low, high] = /** @type {[number, number]} */ (one);
  assert.ok(low > 0.94 && low < 1.02 && high > 1.02 && high < 1.1, `${low} ${high}`);
});

test('in 1000 samples of five normal trials the interval covers the true mean about 950 times', () => {
  const next = randomSource(7, 'coverage');
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  let covered = 0;
  for (let run = 0; run < 1000; run += 1) {
    const interval = interval95(
      Array.from({length: 5}, () => 10 + normal()),
      next,
    );
    if (interval && interval[0] <= 10 && interval[1] >= 10) covered += 1;
  }
  assert.ok(covered > 925 && covered < 975, String(covered));
});

test('an interval lies below another only when they are apart', () => {
  assert.equal(isBelow([1, 2], [2.1, 3]), true);
  assert.equal(isBelow([1, 2], [1.9, 3]), false);
  assert.equal(isBelow(null, [1, 2]), false);
});
