import assert from 'node:assert/strict';
import {test} from 'node:test';
import {accountOf, outageOf, timelineOf} from '../../../src/faults/account.js';
import {decodeLog} from '../../../src/measure/message-log.js';
import {logOfRoundTrips} from '../../../src/roles/programs/round-trip-log.js';

/** @param {readonly number[]} times in ms @param {number} received @param {number} wallMs */
function logOf(times, received, wallMs) {
  const samplesNs = times.map((ms) => ms * 1e6);
  return decodeLog(logOfRoundTrips({samplesNs, received}, {startMs: 1000, wallMs}));
}

test('round trips of a program follow each other, with the time between them divided equally', () => {
  const log = logOf([10, 30, 20], 3, 90);
  assert.deepEqual([...log.sentMs], [0, 20, 60]);
  assert.deepEqual([...log.settledMs], [10, 50, 80]);
  const {sent, confirmed, received, lost} = accountOf(log, null);
  assert.deepEqual([sent, confirmed, received, lost], [3, 3, 3, 0]);
});

test('a lost request is the one that took longest, and has no outcome', () => {
  const log = logOf([10, 500, 20, 500, 30], 3, 1060);
  assert.deepEqual([...log.settledMs], [10, Number.NaN, 530, Number.NaN, 1060]);
  const {sent, confirmed, open, lost} = accountOf(log, null);
  assert.deepEqual([sent, confirmed, open, lost], [5, 3, 2, 2]);
  assert.deepEqual([...logOf([500, 500], 0, 1000).settledMs], [Number.NaN, Number.NaN]);
});

test('the outage around a fault is the longest time without a reply, and a request is due when it is sent', () => {
  const log = logOf([...Array(20).fill(10), 300, ...Array(50).fill(10)], 71, 1000);
  const {ms, worstMs, restartMs} = outageOf(log, {fromMs: 1200, untilMs: null, endMs: 2000});
  assert.equal(restartMs, null);
  assert.ok(Math.abs(Number(ms) - 300) < 0.1 && Math.abs(Number(worstMs) - 300) < 0.1, `${ms} ${worstMs}`);
  const {worstMs: ofParts} = timelineOf(log, []);
  assert.ok(Math.abs(Number(ofParts[0]) - 10) < 0.1, String(ofParts));
});

test('a result without the single round trips has no account', () => {
  assert.throws(() => logOfRoundTrips({received: 1}, {startMs: 0, wallMs: 1}), {
    code: 'PB_ADAPTER',
    message: /without samplesNs/,
  });
});
