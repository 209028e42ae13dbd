import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assert as check, double, integer, property} from 'fast-check';
import {randomSource} from '../../../src/payload/random.js';
import {HitMix} from '../../../src/workloads/cached/requests.js';

/** @param {HitMix} mix @param {number} count */
function take(mix, count) {
  return Array.from({length: count}, () => mix.next());
}

/** @param {readonly boolean[]} sequence */
function hitsIn(sequence) {
  return sequence.filter(Boolean).length;
}

test('after every hundred requests the share of hits is the one asked for, to one request', () => {
  check(
    property(double({min: 0, max: 1, noNaN: true}), integer({min: 1, max: 40}), (hitRatio, blocks) => {
      const mix = new HitMix(hitRatio, randomSource(blocks, 'mix'));
      assert.ok(Math.abs(hitsIn(take(mix, blocks * 100)) - hitRatio * blocks * 100) <= 0.5 + 1e-9);
    }),
  );
});

for (const [hitRatio, hits] of [
  [0, 0],
  [0.001, 10],
  [0.9, 9000],
  [0.999, 9990],
  [1, 10_000],
]) {
  test(`at a ratio of ${hitRatio} ten thousand requests have ${hits} hits`, () => {
    assert.equal(hitsIn(take(new HitMix(hitRatio, randomSource(1, 'mix')), 10_000)), hits);
  });
}

test('hits and misses mix: the order is random, follows from the seed, and begins anew with a block', () => {
  const [one, again, other] = [1, 1, 2].map((seed) => take(new HitMix(0.5, randomSource(seed, 'mix')), 1000));
  assert.deepEqual(one, again);
  assert.notDeepEqual(one, other);
  const changes = one.filter((isHit, index) => index > 0 && isHit !== one[index - 1]).length;
  assert.ok(changes > 400 && changes < 600, String(changes));

  const mix = new HitMix(0.3, randomSource(1, 'mix'));
  take(mix, 50);
  mix.restart();
  assert.equal(hitsIn(take(mix, 100)), 30);
});
