import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {mean, quantileSorted, sampleStandardDeviation} from 'simple-statistics';
import {Histogram, mistakeInEncoded, mistakeInFigures} from '../../src/stats/histogram.js';
import {summarize} from '../../src/stats/summary.js';

const nanoseconds = fc.array(fc.integer({min: 1, max: 60_000_000_000}), {minLength: 2, maxLength: 400});

/** @param {readonly number[]} values */
function histogramOf(values) {
  const histogram = new Histogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

/** @param {number} actual @param {number} expected @param {number} share */
function close(actual, expected, share) {
  assert.ok(Math.abs(actual - expected) <= share * Math.abs(expected) + 1e-9, `${actual} is not ${expected}`);
}

test('mean, standard deviation, minimum, maximum and count are exact', () => {
  fc.assert(
    fc.property(nanoseconds, (values) => {
      const histogram = histogramOf(values);
      assert.equal(histogram.count, values.length);
      assert.equal(histogram.minimum, Math.min(...values));
      assert.equal(histogram.maximum, Math.max(...values));
      close(histogram.mean, mean(values), 1e-9);
      if (histogram.standardDeviation > 1)
        close(histogram.standardDeviation, sampleStandardDeviation(values), 1e-6);
    }),
  );
});

test('merging two histograms, also after storing them, is the same as one of all values', () => {
  fc.assert(
    fc.property(nanoseconds, nanoseconds, (one, other) => {
      const merged = histogramOf(one);
      merged.merge(Histogram.decode(JSON.parse(JSON.stringify(histogramOf(other).encode()))));
      const whole = histogramOf([...one, ...other]);
      assert.equal(merged.count, whole.count);
      close(merged.minimum, whole.minimum, 1e-9);
      close(merged.maximum, whole.maximum, 1e-9);
      close(merged.mean, whole.mean, 1e-9);
      if (whole.standardDeviation > 1) close(merged.standardDeviation, whole.standardDeviation, 1e-6);
      for (const percentile of [50, 75, 90]) {
        const [actual, expected] = [merged.percentile(percentile), whole.percentile(percentile)];
        if (expected === null) assert.equal(actual, null);
        else close(/** @type {number} */ (actual), expected, 1e-9);
      }
    }),
  );
});

test('several stored histograms together are the same as one of all values, and none are an empty one', () => {
  fc.assert(
    fc.property(fc.array(nanoseconds, {minLength: 1, maxLength: 4}), (lists) => {
      const together = Histogram.decodeAll(lists.map((values) => histogramOf(values).encode()));
      const whole = histogramOf(lists.flat());
      assert.equal(together.count, whole.count);
      close(together.minimum, whole.minimum, 1e-9);
      close(together.maximum, whole.maximum, 1e-9);
      close(together.mean, whole.mean, 1e-9);
      if (whole.standardDeviation > 1) close(together.standardDeviation, whole.standardDeviation, 1e-6);
      assert.equal(together.hdr.getValueAtPercentile(50), whole.hdr.getValueAtPercentile(50));
    }),
  );
  assert.equal(Histogram.decodeAll([]).count, 0);
});

test('a percentile is within 0.1 % of that of the sorted values', () => {
  const values = Array.from({length: 10_000}, (_, index) => 50_000 + index * 37);
  const histogram = histogramOf(values);
  for (const percentile of [50, 75, 90, 99, 99.9]) {
    close(
      /** @type {number} */ (histogram.percentile(percentile)),
      quantileSorted(values, percentile / 100),
      0.001,
    );
  }
});

test('a percentile with fewer than ten samples above it is null', () => {
  const values = (/** @type {number} */ count) => Array.from({length: count}, (_, index) => 1000 + index);
  assert.equal(histogramOf(values(999)).percentile(99), null);
  assert.notEqual(histogramOf(values(1000)).percentile(99), null);
  assert.equal(histogramOf(values(19)).percentile(50), null);
  assert.notEqual(histogramOf(values(20)).percentile(50), null);
  const summary = summarize(histogramOf(values(100)));
  assert.deepEqual([summary.p90Ms === null, summary.p99Ms, summary.samples], [false, null, 100]);
});

test('no percentile lies outside of minimum and maximum', () => {
  const histogram = histogramOf(Array(100).fill(123_456_789));
  assert.equal(histogram.percentile(50), 123_456_789);
});

/** @param {readonly number[]} samplesNs */
function encode(samplesNs) {
  const histogram = new Histogram();
  for (const sample of samplesNs) histogram.add(sample);
  return histogram.encode();
}

test('whatever was measured is possible, also merged', () => {
  const some = fc.array(fc.double({min: 1, max: 3.6e12, noNaN: true}), {minLength: 1, maxLength: 50});
  fc.assert(
    fc.property(some, some, (one, other) => {
      assert.equal(mistakeInEncoded(encode(one)), null);
      assert.equal(mistakeInEncoded(Histogram.decodeAll([encode(one), encode(other)]).encode()), null);
    }),
  );
});

const good = {samples: 3, meanMs: 2, minMs: 1, maxMs: 3, stdevMs: 1};
for (const [what, changes, message] of /** @type {[string, object, RegExp][]} */ ([
  ['no number', {meanMs: Number.NaN}, /^meanMs: it is NaN/],
  ['no end', {maxMs: Number.POSITIVE_INFINITY}, /^maxMs: it is Infinity/],
  ['less than nothing', {stdevMs: -1}, /^stdevMs: it is -1/],
  ['no samples', {samples: 0}, /^samples: it is 0/],
  ['half a sample', {samples: 1.5}, /^samples: it is 1\.5/],
  ['a minimum above the maximum', {minMs: 4}, /^minMs: 4 is above maxMs, 3/],
  ['a mean below the minimum', {meanMs: 0.5}, /^meanMs: 0\.5 is not between/],
  ['a mean above the maximum', {meanMs: 3.5}, /^meanMs: 3\.5 is not between/],
  ['a deviation wider than the samples', {stdevMs: 2}, /^stdevMs: 2 is more than/],
]))
  test(`figures with ${what} are named`, () => {
    assert.match(String(mistakeInFigures({...good, ...changes})), message);
  });

test('figures that agree have no mistake', () => assert.equal(mistakeInFigures(good), null));

test('a histogram of other samples is named', () => {
  const {histogram} = encode([1e6, 2e6, 4e6]);
  assert.match(String(mistakeInEncoded({...good, histogram})), /^histogram: its meanMs is 2\.3/);
  assert.match(String(mistakeInEncoded({...good, histogram: 'AAAA'})), /^histogram: it cannot be decoded/);
});
