import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {Histogram} from '../../src/stats/histogram.js';
import {binsOf} from '../../src/stats/summary.js';

/** @param {readonly number[]} nanoseconds */
function histogramOf(nanoseconds) {
  const histogram = new Histogram();
  for (const value of nanoseconds) histogram.add(value);
  return histogram;
}

test('a wide distribution has few bins in a decade, with round edges', () => {
  const bins = binsOf(histogramOf([60_000, 61_000, 70_000, 2_500_000]));
  assert.deepEqual(
    bins.map(({fromNs}) => fromNs / 1000),
    [47, 68, 100, 150, 220, 330, 470, 680, 1000, 1500, 2200],
  );
  assert.deepEqual(
    bins.map(({count}) => count),
    [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  );
});

test('a narrow one has the finest', () => {
  assert.deepEqual(binsOf(histogramOf([1_000_000, 1_050_000, 1_250_000])), [
    {fromNs: 1_000_000, count: 2},
    {fromNs: 1_100_000, count: 0},
    {fromNs: 1_200_000, count: 1},
  ]);
});

test('each sample is in one bin, near its edges, and the first and the last bin have some', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({min: 1, max: 3_600_000_000}), {minLength: 1, maxLength: 50}),
      (values) => {
        const bins = binsOf(histogramOf(values));
        assert.equal(
          bins.reduce((sum, {count}) => sum + count, 0),
          values.length,
        );
        assert.ok(bins[0].fromNs <= Math.min(...values));
        assert.ok(bins.length <= 24 * 11);
        assert.ok(bins.every(({fromNs}, index) => index === 0 || fromNs > bins[index - 1].fromNs));
      },
    ),
  );
});
