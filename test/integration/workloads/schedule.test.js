import assert from 'node:assert/strict';
import {test} from 'node:test';
import {sendOnSchedule} from '../../../src/workloads/schedule.js';

test('messages go at their time, and those that are late go at once and none is left out', async () => {
  /** @type {number[]} */
  const lags = [];
  let count = 0;
  const send = (/** @type {number} */ intended, /** @type {number} */ now) => {
    lags.push(now - intended);
    count += 1;
    return count === 10 ? new Promise((resolve) => setTimeout(resolve, 100)) : undefined;
  };
  const {signal} = new AbortController();
  const load = {
    rate: 200,
    arrivals: /** @type {const} */ ('constant'),
    seed: 1,
    samples: null,
    durationMs: 300,
  };
  const {schedule} = await sendOnSchedule(load, {
    send: /** @type {any} */ (send),
    signal,
  });
  assert.deepEqual(schedule, {messages: 60, ms: 300, firstMs: 0, lastMs: 295});
  assert.ok(lags.every((lag) => lag >= 0));
  assert.ok(lags[10] > 80, String(lags[10]));
  // 100 ms are 20 messages, which go at once.
  const caughtUp = Math.min(...lags.slice(30));
  assert.ok(caughtUp < 50, String(caughtUp));
});

test('an abort ends the sending', async () => {
  const life = new AbortController();
  setTimeout(() => life.abort(new Error('enough')), 30);
  const load = {
    rate: 10,
    arrivals: /** @type {const} */ ('constant'),
    seed: 1,
    samples: 1000,
    durationMs: 60_000,
  };
  await assert.rejects(sendOnSchedule(load, {send: () => {}, signal: life.signal}), {name: /Error/});
});
