import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {mean} from 'simple-statistics';
import {randomSource} from '../../src/payload/random.js';
import {Histogram} from '../../src/stats/histogram.js';
import {bandsOf, binsOf} from '../../src/stats/summary.js';
import {isQuick, runsOf} from '../support/effort.js';

/** @import {Band} from '../../src/stats/summary.js' */

const percents = [75, 90, 99, 99.9, 99.99, 99.999];

/** @param {readonly number[]} values */
function histogramOf(values) {
  const histogram = new Histogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

/** The same without a histogram. @param {Float64Array} sorted @param {number} thousandths of a per cent */
function sortedBand(sorted, thousandths) {
  const fastest = sorted.subarray(0, Math.ceil((sorted.length * thousandths) / 100_000));
  return {meanNs: mean(/** @type {any} */ (fastest)), maxNs: fastest[fastest.length - 1]};
}

/** @param {number | null} actual @param {number} expected */
function close(actual, expected) {
  assert.ok(
    actual !== null && Math.abs(actual - expected) <= 0.001 * expected,
    `${actual} is not ${expected}`,
  );
}

/** @param {readonly number[]} values */
function assertAgreesWithSorting(values) {
  const sorted = Float64Array.from(values).sort();
  for (const {percent, meanNs, maxNs} of bandsOf(histogramOf(values))) {
    const thousandths = Math.round(percent * 1000);
    if (values.length * (100_000 - thousandths) < 1_000_000) {
      assert.deepEqual([meanNs, maxNs], [null, null], `${percent} of ${values.length}`);
      continue;
    }
    const expected = sortedBand(sorted, thousandths);
    close(meanNs, expected.meanNs);
    close(maxNs, expected.maxNs);
  }
}

test('means and maxima are within 0.1 % of those of the sorted samples', () => {
  const sample = fc.integer({min: 1000, max: 60_000_000_000});
  fc.assert(
    fc.property(fc.array(sample, {minLength: 40, maxLength: 2000, size: 'max'}), assertAgreesWithSorting),
    {numRuns: runsOf(30)},
  );
});

test('means and maxima are right up to 99.999 % of a million skewed samples', {skip: isQuick}, () => {
  const random = randomSource(5, 'bands');
  const values = Array.from({length: 1_000_000}, () => Math.round(20_000 / (1 - random()) ** 0.7));
  assertAgreesWithSorting(values);
  assert.ok(bandsOf(histogramOf(values)).every(({meanNs}) => meanNs !== null));
});

test('a boundary within a bucket counts only the part of the bucket below it', () => {
  const [band] = bandsOf(histogramOf([...Array(50).fill(1000), ...Array(50).fill(2000)]));
  assert.deepEqual(band, {percent: 75, meanNs: (50 * 1000 + 25 * 2000) / 75, maxNs: 2000});
});

test('a band with fewer than ten samples above it is null, and the bands are always the same six', () => {
  for (const [count, filled] of [
    [1, 0],
    [39, 0],
    [40, 1],
    [99, 1],
    [100, 2],
    [999, 2],
    [1000, 3],
    [10_000, 4],
    [100_000, 5],
  ]) {
    const bands = bandsOf(histogramOf(Array(count).fill(5000)));
    assert.deepEqual(
      bands.map(({percent}) => percent),
      percents,
    );
    assert.deepEqual(
      bands.map(({meanNs, maxNs}) => [meanNs, maxNs]),
      percents.map((_, index) => (index < filled ? [5000, 5000] : [null, null])),
      String(count),
    );
  }
});

test('no mean or maximum leaves the exact minimum and maximum, and no mean that of all samples', () => {
  fc.assert(
    fc.property(
      fc.integer({min: 1, max: 3_600_000_000_000}),
      fc.integer({min: 0, max: 500}),
      (base, step) => {
        const histogram = histogramOf(Array.from({length: 1000}, (_, index) => base + (index % 3) * step));
        for (const {meanNs, maxNs} of bandsOf(histogram)) {
          if (meanNs === null || maxNs === null) continue;
          assert.ok(histogram.minimum <= meanNs && meanNs <= maxNs && maxNs <= histogram.maximum);
          assert.ok(meanNs <= histogram.mean);
        }
      },
    ),
  );
});

test('a histogram that was stored and read again has the same bands', () => {
  const histogram = histogramOf(Array.from({length: 5000}, (_, index) => 40_000 + index * 31));
  const again = Histogram.decode(JSON.parse(JSON.stringify(histogram.encode())));
  const rounded = (/** @type {Band[]} */ bands) =>
    bands.map(({meanNs, maxNs}) => [meanNs?.toFixed(3), maxNs?.toFixed(3)]);
  assert.deepEqual(rounded(bandsOf(again)), rounded(bandsOf(histogram)));
});

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
