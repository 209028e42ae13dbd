import assert from 'node:assert/strict';
import {test} from 'node:test';
import {outageOf} from '../../src/faults/account.js';
import {outcomes} from '../../src/measure/message-log.js';

const rate = 100;

/**
 * A load whose messages are due every 10 ms and answered after 1 ms, but for those that are due while nobody answers: they are sent when it is over.
 * @param {{messages: number, downFrom: number, downTo: number, isConfirmed?: boolean}} load
 */
function loadWith({messages, downFrom, downTo, isConfirmed = true}) {
  const due = Array.from({length: messages}, (_, sequence) => sequence * 10);
  const sent = due.map((at) => (at >= downFrom && at < downTo ? downTo : at));
  return {
    startMs: 5000,
    rate,
    settles: isConfirmed,
    messages,
    resent: 0,
    outages: [],
    sentMs: Float32Array.from(sent),
    settledMs: Float32Array.from(sent, (at) => (isConfirmed ? at + 1 : Number.NaN)),
    outcomes: Uint8Array.from(sent, () => (isConfirmed ? outcomes.taken : outcomes.open)),
  };
}

test('an outage is the time from the last good reply before a fault to the first one after it', () => {
  const log = loadWith({messages: 300, downFrom: 1000, downTo: 1800});
  const found = outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 8000});
  assert.equal(found.ms, 1801 - 991);
  assert.equal(found.restartMs, 500);
  assert.equal(found.recoveryMs, 301);
  assert.equal(found.rateBackMs, 1800 - 1500);
  assert.equal(found.worstMs, 1801 - 1000);
});

test('without confirms, the sends stand for the replies', () => {
  const log = loadWith({messages: 300, downFrom: 1000, downTo: 1800, isConfirmed: false});
  const found = outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 8000});
  assert.equal(found.ms, 1800 - 990);
  assert.equal(found.worstMs, null);
});

test('an outage that does not end has no length', () => {
  const log = loadWith({messages: 100, downFrom: 1000, downTo: 1000});
  const found = outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 8000});
  assert.deepEqual([found.ms, found.recoveryMs, found.rateBackMs], [null, null, null]);
});

test('what is after the next fault does not count', () => {
  const log = loadWith({messages: 300, downFrom: 1000, downTo: 1800});
  assert.equal(outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 6700}).ms, null);
});

test('the reply that was on its way when the fault was done does not end the outage', () => {
  const log = loadWith({messages: 300, downFrom: 1010, downTo: 1800});
  assert.equal(outageOf(log, {fromMs: 6000.5, untilMs: 6500, endMs: 8000}).ms, 1801 - 1001);
});

test('where replies are expected and none comes, the sends do not stand for them', () => {
  const log = {...loadWith({messages: 300, downFrom: 1000, downTo: 1800, isConfirmed: false}), settles: true};
  assert.equal(outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 8000}).ms, null);
});
