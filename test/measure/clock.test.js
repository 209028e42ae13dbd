import assert from 'node:assert/strict';
import {test} from 'node:test';
import {clockReadNanos, monotonicMs, wallClockAheadMs} from '../../src/measure/clock.js';

test('reading the clock takes some time, and the fastest of many readings is much the same each time', () => {
  const [one, other] = [clockReadNanos(), clockReadNanos()];
  assert.ok(one > 1 && one < 100_000, String(one));
  assert.ok(other < 10 * one && one < 10 * other, `${one}, ${other}`);
});

test('the wall clock is ahead by the same, however often it is asked', () => {
  const readings = Array.from({length: 40}, wallClockAheadMs);
  const spreadMs = Math.max(...readings) - Math.min(...readings);
  // One reading alone is off by up to a ms.
  assert.ok(spreadMs < 0.1, `${spreadMs} ms`);
  const apartMs = Date.now() - monotonicMs() - readings[0];
  assert.ok(apartMs > -1.1 && apartMs < 0.1, `${apartMs} ms`);
});
