import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {formatTime} from '../../src/columns/digits.js';

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
