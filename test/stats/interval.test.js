import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {gammaln} from 'simple-statistics';
import {randomSource} from '../../src/payload/random.js';
import {interval95, intervalAround, studentQuantile} from '../../src/stats/interval.js';
import {someOf} from '../support/effort.js';

test("the interval of five trials is Student's t of their logarithms, around their mean", () => {
  const values = [1.02, 0.98, 1.05, 0.97, 1.01];
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log) / 5;
  const deviation = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / 4);
  const factor = Math.exp((2.776_445 * deviation) / Math.sqrt(5));
  const [low, high] = /** @type {[number, number]} */ (interval95(values));
  assert.ok(Math.abs(low - 1.006 / factor) < 1e-6, String(low));
  assert.ok(Math.abs(high - 1.006 * factor) < 1e-6, String(high));
});

test('fewer than two values, and values that are not above zero, have no interval', () => {
  assert.equal(interval95([]), null);
  assert.equal(interval95([1]), null);
  assert.equal(interval95([1, 0]), null);
  assert.equal(interval95([1, -1, 2]), null);
});

test('an interval is finite, above zero, and holds its estimate, however the values scatter', () => {
  const values = fc.array(fc.double({min: 1e-6, max: 1e6, noNaN: true}), {minLength: 2, maxLength: 40});
  fc.assert(
    fc.property(values, (some) => {
      const [low, high] = interval95(some) ?? [0, 0];
      const mean = some.reduce((sum, value) => sum + value, 0) / some.length;
      assert.ok(low > 0 && low <= mean * (1 + 1e-9) && high >= mean * (1 - 1e-9), `${low} ${mean} ${high}`);
      assert.ok(Number.isFinite(high) && Number.isFinite(1000 / low));
    }),
  );
});

test('an interval around another estimate has the same width as a share of it', () => {
  const values = [1, 1.1, 0.9];
  const [low, high] = interval95(values) ?? [0, 0];
  const [lowOfTwo, highOfTwo] = intervalAround(2, values) ?? [0, 0];
  assert.ok(Math.abs(lowOfTwo - 2 * low) < 1e-12 && Math.abs(highOfTwo - 2 * high) < 1e-12);
});

for (const [trials, variation] of someOf(
  [
    [3, 0.3],
    [5, 0.03],
    [10, 0.3],
    [30, 0.3],
  ],
  2,
)) {
  test(`of 2000 sets of ${trials} log-normal trials that vary by ${variation * 100} %, the interval covers the mean in 93 to 97 %`, () => {
    const next = randomSource(7, `coverage ${trials} ${variation}`);
    const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    const sigma = Math.sqrt(Math.log(1 + variation ** 2));
    let covered = 0;
    for (let run = 0; run < 2000; run += 1) {
      const values = Array.from({length: trials}, () => Math.exp(sigma * normal() - sigma ** 2 / 2));
      const [low, high] = interval95(values) ?? [0, 0];
      if (low <= 1 && high >= 1) covered += 1;
    }
    assert.ok(covered >= 1860 && covered <= 1940, String(covered));
  });
}

/** NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: critical values by probability and degrees of freedom. */
const published = {
  0.95: {1: 6.314, 2: 2.92, 5: 2.015, 10: 1.812, 30: 1.697, 100: 1.66},
  0.975: {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 10: 2.228, 29: 2.045, 60: 2, 100: 1.984},
  0.995: {1: 63.657, 2: 9.925, 5: 4.032, 10: 3.169, 30: 2.75, 100: 2.626},
};

for (const [probability, values] of Object.entries(published)) {
  for (const [degrees, value] of Object.entries(values)) {
    test(`the quantile ${probability} with ${degrees} degrees of freedom is ${value}`, () => {
      const quantile = studentQuantile(Number(probability), Number(degrees));
      assert.ok(Math.abs(quantile - value) < 6e-4, String(quantile));
    });
  }
}

test('one and two degrees of freedom have closed forms, which the quantile meets', () => {
  for (const probability of [0.6, 0.9, 0.975, 0.999]) {
    const alpha = 4 * probability * (1 - probability);
    const [one, two] = [
      Math.tan(Math.PI * (probability - 0.5)),
      2 * (probability - 0.5) * Math.sqrt(2 / alpha),
    ];
    assert.ok(Math.abs(studentQuantile(probability, 1) / one - 1) < 1e-9);
    assert.ok(Math.abs(studentQuantile(probability, 2) / two - 1) < 1e-9);
  }
});

test('with very many degrees of freedom the quantile is that of the normal distribution', () => {
  assert.ok(Math.abs(studentQuantile(0.975, 1e7) - 1.959_964) < 1e-5);
});

test("for degrees that are not whole, as Welch's are, the density up to the quantile has the probability", () => {
  for (const degrees of [1.5, 4.5, 17.776]) {
    const quantile = studentQuantile(0.975, degrees);
    const density = (/** @type {number} */ t) => (1 + t ** 2 / degrees) ** (-(degrees + 1) / 2);
    const factor = Math.exp(gammaln((degrees + 1) / 2) - gammaln(degrees / 2)) / Math.sqrt(degrees * Math.PI);
    const probability = 0.5 + factor * integrate(density, quantile);
    assert.ok(Math.abs(probability - 0.975) < 1e-6, `${degrees}: ${probability}`);
  }
});

/** Simpson's rule from 0. @param {(t: number) => number} density @param {number} end */
function integrate(density, end) {
  const parts = 10_000;
  let sum = density(0) + density(end);
  for (let part = 1; part < parts; part += 1) sum += (part % 2 === 1 ? 4 : 2) * density((part * end) / parts);
  return (sum * end) / parts / 3;
}
