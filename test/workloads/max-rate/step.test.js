import assert from 'node:assert/strict';
import {test} from 'node:test';
import {estimateSearchMs, maxSearchMs} from '../../../src/workloads/max-rate/step.js';

test('a search ends within a small multiple of its estimate, however short its steps are', () => {
  for (const durationMs of [20, 100, 200, 1000, 5000]) {
    const estimatedMs = estimateSearchMs({durationMs, payloadBytes: 1024}, () => 0.05);
    const atMost = maxSearchMs(20_000, durationMs);
    assert.ok(
      atMost > 1.2 * estimatedMs && atMost <= Math.max(30_000, 3 * estimatedMs),
      `${estimatedMs}, ${atMost}`,
    );
  }
});

test('a search at a low rate has the time that its steps need, but not for ever', () => {
  assert.equal(maxSearchMs(1, 100), 60_000);
  assert.ok(maxSearchMs(1000, 100) > maxSearchMs(20_000, 100));
});
