import assert from 'node:assert/strict';
import {PerformanceObserver} from 'node:perf_hooks';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
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

/**
 * Sends about 500 messages in a second.
 * @param {() => boolean} isIdle
 * @returns {Promise<{early: number, sent: number, collections: number}>} early: messages before their time; collections: of garbage
 */
async function sendForASecond(isIdle) {
  let [early, sent, collections] = [0, 0, 0];
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({entryTypes: ['gc']});
  const send = (/** @type {number} */ intended, /** @type {number} */ now) => {
    sent += 1;
    if (now < intended) early += 1;
  };
  await sendOnSchedule(
    {rate: 500, arrivals: 'poisson', seed: 7, samples: null, durationMs: 1000},
    {send, isIdle, signal: new AbortController().signal},
  );
  // The observer hears of the last collection later.
  await sleep(50);
  observer.disconnect();
  return {early, sent, collections};
}

test('a sender leaves little garbage while no reply is expected: collecting it would delay messages', async () => {
  const {early, sent, collections} = await sendForASecond(() => true);
  assert.equal(early, 0);
  assert.ok(sent > 400 && sent < 600, `${sent} messages`);
  assert.ok(collections < 20, `${collections} collections of garbage`);
});

test('a sender runs the event loop often while replies are expected', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const {early, sent} = await sendForASecond(() => false);
  isOver = true;
  assert.equal(early, 0);
  assert.ok(turns > 5 * sent, `${turns} turns beside ${sent} messages`);
});

test('an abort ends the sending also where the sender blocks between messages', async () => {
  const life = new AbortController();
  setTimeout(() => life.abort(new Error('over')), 30);
  const load = {rate: 1000, arrivals: /** @type {const} */ ('constant'), seed: 1, samples: null};
  await assert.rejects(
    sendOnSchedule({...load, durationMs: 60_000}, {send: () => {}, isIdle: () => true, signal: life.signal}),
    /over/,
  );
});
