import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {roundedTo, roundedWithInterval, toSignificant} from '../../src/columns/digits.js';

/** @type {[value: number, low: number, high: number, text: string][]} */
const narrow = [
  [0.0464, 0.0443, 0.0486, '0.046 ± 0.002'],
  [0.0464, 0.0452, 0.0476, '0.0464 ± 0.0012'],
  [0.3503, 0.3037, 0.3969, '0.35 ± 0.05'],
  [12.34, 11.9, 12.8, '12.3 ± 0.5'],
  [12345, 11932, 12758, '12300 ± 400'],
  [2, 1.99999, 2.00001, '2.0000 ± 0.0000'],
  [0.5, 0.5, 0.5, '0.5000 ± 0.0000'],
];

for (const [value, low, high, text] of narrow) {
  test(`${value} [${low}, ${high}] is ${text}`, () => {
    const rounded = roundedWithInterval(value, [low, high], 4);
    assert.equal(`${rounded.value} ± ${rounded.half}`, text);
    assert.ok(rounded.isSymmetric);
  });
}

/** @type {[value: number, low: number, high: number, text: string][]} */
const wide = [
  [62.8, 9.13, 430.4, '63 [9.1, 430]'],
  [0.056, 0.031, 0.084, '0.056 [0.031, 0.084]'],
  [8.9, 0.6, 60.1, '8.9 [0.60, 60]'],
  [12, 3, Number.MAX_VALUE, '12 [3.0, ∞]'],
];

for (const [value, low, high, text] of wide) {
  test(`${value} [${low}, ${high}] keeps both ends, with two digits: ${text}`, () => {
    const rounded = roundedWithInterval(value, [low, high], 4);
    assert.equal(`${rounded.value} [${rounded.ends.join(', ')}]`, text);
    assert.ok(!rounded.isSymmetric);
  });
}

test('a figure that is printed alone has the digits that its interval justifies, and at least one', () => {
  assert.equal(roundedTo(2.2548, [1.9, 2.7], 4), '2.3');
  assert.equal(roundedTo(0.1577, [0.156, 0.159], 4), '0.158');
  assert.equal(roundedTo(0.1577, [0.1574, 0.158], 4), '0.1577');
  assert.equal(roundedTo(8.9, [0.6, 60], 4), '9');
  assert.equal(roundedTo(1644, [900, 2900], 4), '2000');
  assert.equal(roundedTo(1644, [1600, 1690], 4), '1640');
  assert.equal(roundedTo(0, [0, 0.004], 4), '0.000');
});

test('significant digits have no exponent', () => {
  assert.equal(toSignificant(0.000_012, 3, 4), '0.0000');
  assert.equal(toSignificant(1_234_567, 3, 4), '1230000');
  assert.equal(toSignificant(0.085_61, 3, 4), '0.0856');
  assert.equal(toSignificant(0, 3, 4), '0');
});

test('what is printed lies within the printed half of the value, and no digit follows the second of the half', () => {
  const positive = fc.double({min: 1e-3, max: 1e6, noNaN: true});
  const share = fc.double({min: 1e-3, max: 0.24, noNaN: true});
  fc.assert(
    fc.property(positive, share, (value, part) => {
      const {value: text, half} = roundedWithInterval(value, [value * (1 - part), value * (1 + part)], 9);
      const [printed, printedHalf] = [Number(text), Number(half)];
      assert.ok(Math.abs(printed - value) <= printedHalf, `${value}: ${text} ± ${half}`);
      assert.ok(Math.abs(printedHalf - value * part) <= 0.34 * value * part, `${value * part}: ${half}`);
      assert.ok(half.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length <= 2, half);
    }),
  );
});
