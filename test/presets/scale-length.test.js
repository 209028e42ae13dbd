import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {automaticWarmUp} from '../../src/measure/warm-up.js';
import {scaleLength} from '../../src/presets/index.js';

/** @param {number} count */
const warmUpOf = (count) => ({kind: /** @type {const} */ ('count'), count});

const cases = [
  {samples: 40_000, count: 60_000, scale: 1, to: {samples: 40_000, count: 60_000}},
  {samples: 40_000, count: 60_000, scale: 0.01, to: {samples: 400, count: 600}},
  {samples: 13_333, count: 2000, scale: 0.1, to: {samples: 1333, count: 200}},
  {samples: 307, count: 2000, scale: 0.01, to: {samples: 10, count: 20}},
  {samples: 100, count: 3, scale: 0.000_001, to: {samples: 10, count: 0}},
  {samples: 7, count: 0, scale: 0.5, to: {samples: 7, count: 0}},
];
for (const {samples, count, scale, to} of cases) {
  test(`${samples} samples after ${count} become ${to.samples} after ${to.count} at a scale of ${scale}`, () => {
    const scaled = scaleLength({samples, warmUp: warmUpOf(count)}, scale);
    assert.deepEqual(scaled, {samples: to.samples, warmUp: warmUpOf(to.count)});
  });
}

test('A warm-up that is no number of messages stays, and so does a length without samples', () => {
  const length = {
    samples: null,
    durationMs: 300,
    warmUp: automaticWarmUp,
  };
  assert.deepEqual(scaleLength(length, 0.1), length);
});

test('No scale makes a trial longer, or shorter than ten samples if it had as many', () => {
  const scales = fc.double({min: 0.000_001, max: 1, noNaN: true});
  fc.assert(
    fc.property(fc.nat(1e9), fc.nat(1e6), scales, (samples, count, scale) => {
      const scaled = scaleLength({samples, warmUp: warmUpOf(count)}, scale);
      assert.ok(scaled.samples !== null && scaled.samples <= samples);
      assert.ok(scaled.samples >= Math.min(samples, 10));
      assert.ok(scaled.warmUp.kind === 'count' && scaled.warmUp.count <= count);
    }),
  );
});
