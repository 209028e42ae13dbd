import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {
  formatPercentile,
  formatShortMs,
  formatTime,
  roundedTo,
  roundedWithInterval,
  toSignificant,
} from '../../src/columns/figures.js';

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

test('a percentile has the digits that it has beside its interval, and none that exceed the largest value', () => {
  const cases = /** @type {const} */ ([
    [166.2, [60, 460], 185, '170'],
    [186.1, [70, 480], 187.4, '186'],
    [1644, [1600, 1690], 2100, '1640'],
    [8.9, [0.6, 60], 61, '8.9'],
    [8.9, [0.6, 60], null, '8.9'],
    [166.2, null, 185, '166'],
    [null, null, 185, 'n/a'],
  ]);
  for (const [value, interval, maxMs, text] of cases)
    assert.equal(formatPercentile(value, {interval: interval && [...interval], maxMs}), text);
  const positive = fc.double({min: 1e-2, max: 1e5, noNaN: true});
  const factor = fc.double({min: 1, max: 10, noNaN: true});
  fc.assert(
    fc.property(positive, factor, factor, (value, spread, above) => {
      const maxMs = value * above;
      const text = formatPercentile(value, {interval: [value / spread, value * spread], maxMs});
      assert.ok(Number(text) <= Number(formatShortMs(maxMs)), `${text} of ${value}, max ${maxMs}`);
    }),
  );
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

test('a time is printed with four significant digits, in the unit of its size', () => {
  for (const [nanoseconds, text] of /** @type {[number | null, string][]} */ ([
    [null, 'n/a'],
    [0, '0 ns'],
    [0.5, '0.5000 ns'],
    [1, '1.000 ns'],
    [850, '850.0 ns'],
    [999.94, '999.9 ns'],
    [999.96, '1.000 µs'],
    [1000, '1.000 µs'],
    [5627, '5.627 µs'],
    [78_160, '78.16 µs'],
    [999_949, '999.9 µs'],
    [999_950, '1.000 ms'],
    [1_234_567, '1.235 ms'],
    [999_949_999, '999.9 ms'],
    [999_950_000, '1.000 s'],
    [12_345_678_901, '12.35 s'],
    [3_600_000_000_000, '3600 s'],
    [9_999_400_000_000, '9999 s'],
    [86_400_000_000_000, '86400 s'],
  ])) {
    assert.equal(formatTime(nanoseconds), text, String(nanoseconds));
  }
});

test('a printed time is within half of its last digit, and below 1000 unless in seconds', () => {
  const units = new Map([
    ['ns', 1],
    ['µs', 1e3],
    ['ms', 1e6],
    ['s', 1e9],
  ]);
  fc.assert(
    fc.property(fc.double({min: 0.01, max: 1e13, noNaN: true}), (nanoseconds) => {
      const [figure, unit] = formatTime(nanoseconds).split(' ');
      const scale = /** @type {number} */ (units.get(unit));
      assert.ok(Math.abs(Number(figure) * scale - nanoseconds) <= nanoseconds * 0.000_501, figure);
      assert.ok(unit === 's' || Number(figure) < 1000, `${figure} ${unit}`);
      assert.ok(unit === 'ns' || Number(figure) >= 1, `${figure} ${unit}`);
    }),
  );
});
