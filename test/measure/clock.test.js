import assert from 'node:assert/strict';
import {test} from 'node:test';
import {clockReadNanos} from '../../src/measure/clock.js';

test('reading the clock takes some time, and the fastest of many readings is much the same each time', () => {
  const [one, other] = [clockReadNanos(), clockReadNanos()];
  assert.ok(one > 1 && one < 100_000, String(one));
  assert.ok(other < 10 * one && one < 10 * other, `${one}, ${other}`);
});
