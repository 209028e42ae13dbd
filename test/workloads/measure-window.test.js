import assert from 'node:assert/strict';
import {test} from 'node:test';
import {partsOf} from '../../src/workloads/measure-window.js';

test('a warm-up for a rate is open for the smaller part of it, an automatic one is followed by that part', () => {
  assert.deepEqual(partsOf({kind: 'auto', maximumMs: 1000}), {
    free: {kind: 'auto', maximumMs: 1000},
    open: {samples: null, durationMs: 300},
  });
  assert.deepEqual(partsOf({kind: 'duration', durationMs: 500}), {
    free: {kind: 'duration', durationMs: 350},
    open: {samples: null, durationMs: 150},
  });
  assert.deepEqual(partsOf({kind: 'duration', durationMs: 5000}).free, {
    kind: 'duration',
    durationMs: 4700,
  });
  assert.deepEqual(partsOf({kind: 'count', count: 10}), {
    free: {kind: 'count', count: 7},
    open: {samples: 3, durationMs: null},
  });
});
