import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readCaches, summarizeTries} from '../../src/doctor/caches.js';

test('memory that takes longer than a cache was evicted', () => {
  assert.deepEqual(summarizeTries([6, 120, 5, 49, 51, 130]), {
    tries: 6,
    evicted: 3,
    bestNs: 5,
    medianNs: 50,
  });
});

test('this host reads a line within the bounds of physics', () => {
  const {tries, evicted, bestNs, medianNs} = readCaches();
  assert.equal(tries, 60);
  assert.ok(evicted >= 0 && evicted <= tries);
  // Five cycles of the first level, and what even a slow memory needs.
  assert.ok(bestNs > 0.5 && bestNs <= medianNs && medianNs < 5000, `${bestNs}, ${medianNs}`);
});
