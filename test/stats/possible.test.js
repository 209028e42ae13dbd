import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {Histogram} from '../../src/stats/histogram.js';
import {mistakeInEncoded, mistakeInFigures} from '../../src/stats/possible.js';

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
