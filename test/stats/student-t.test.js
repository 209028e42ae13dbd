import assert from 'node:assert/strict';
import {test} from 'node:test';
import {gammaln} from 'simple-statistics';
import {studentQuantile} from '../../src/stats/interval.js';

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
