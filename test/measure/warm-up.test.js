import assert from 'node:assert/strict';
import {performance} from 'node:perf_hooks';
import {afterEach, beforeEach, mock, test} from 'node:test';
import {Recorder} from '../../src/measure/recorder.js';
import {warmUpBy} from '../../src/measure/warm-up.js';

/** @import {WarmUp} from '../../src/measure/warm-up.js' */

let clock = 0;
beforeEach(() => {
  clock = 1000;
  mock.method(performance, 'now', () => clock);
});
afterEach(() => mock.restoreAll());

/**
 * A pair whose round trips take what a function of the time since the start says.
 * @param {Recorder} recorder @param {(sinceMs: number) => number} delayAt
 */
function exchangeWith(recorder, delayAt) {
  const begin = clock;
  return async (/** @type {{samples: number, atMs: number}} */ until) => {
    do {
      const delay = delayAt(clock - begin);
      clock += delay;
      recorder.record(delay);
    } while (clock < until.atMs && recorder.count < until.samples);
  };
}

/** @param {WarmUp} warmUp @param {(sinceMs: number) => number} delayAt */
async function warm(warmUp, delayAt) {
  const recorder = new Recorder();
  const begin = clock;
  const result = await warmUpBy(warmUp, recorder, exchangeWith(recorder, delayAt));
  return {...result, tookMs: clock - begin};
}

const auto = /** @type {const} */ ({kind: 'auto', maximumMs: 1000});

test('a steady pair is warm after 500 ms and at least 50 requests', async () => {
  const {warm: isWarm, discarded, tookMs} = await warm(auto, () => 1);
  assert.deepEqual([isWarm, discarded, tookMs], [true, 500, 500]);
  const slow = await warm(auto, () => 12);
  assert.equal(slow.warm, true);
  assert.ok(slow.discarded >= 50 && slow.tookMs >= 600 && slow.tookMs < 1000, JSON.stringify(slow));
});

test('a pair that is still getting faster is warmed up until it settles', async () => {
  const {warm: isWarm, tookMs} = await warm(auto, (since) => (since < 500 ? 3 - since / 200 : 0.5));
  assert.equal(isWarm, true);
  assert.ok(tookMs >= 600 && tookMs < 1000, String(tookMs));
});

test('a pair that has not settled after a second is not warm', async () => {
  const {warm: isWarm, tookMs} = await warm(auto, (since) => 5 * 0.998 ** since);
  assert.equal(isWarm, false);
  assert.ok(tookMs >= 1000 && tookMs < 1010, String(tookMs));
});

test('a pair that is sometimes disturbed, or gets slower, counts as warm', async () => {
  const disturbed = await warm(auto, (since) => (since % 200 < 40 ? 3 : 1));
  assert.deepEqual([disturbed.warm, disturbed.tookMs], [true, 500]);
  const slower = await warm(auto, (since) => 1 + since / 500);
  assert.equal(slower.warm, true);
  assert.ok(slower.tookMs < 510, String(slower.tookMs));
});

test('fewer than 50 requests in a second are not enough', async () => {
  const {warm: isWarm, discarded} = await warm(auto, () => 40);
  assert.deepEqual([isWarm, discarded], [false, 25]);
});

test('a warm-up by duration or by count ends exactly there', async () => {
  const long = await warm({kind: 'duration', durationMs: 3000}, () => 1);
  assert.deepEqual([long.warm, long.tookMs], [true, 3000]);
  assert.equal((await warm({kind: 'duration', durationMs: 3000}, (since) => 5 * 0.999 ** since)).warm, false);
  assert.equal((await warm({kind: 'count', count: 7}, () => 1)).discarded, 7);
  assert.equal((await warm({kind: 'count', count: 0}, () => 1)).discarded, 0);
});
