import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  decodeLog,
  decodeNumbers,
  encodeNumbers,
  MessageLog,
  outcomes,
} from '../../src/measure/message-log.js';

test('a log keeps what became of each message, however many there are', () => {
  const log = new MessageLog({startMs: 7, rate: 100, settles: true});
  const count = 10_000;
  for (let at = 0; at < count; at += 1) {
    assert.equal(log.send(at), at);
    if (at % 2 === 0) log.settle(at, outcomes.taken, at + 0.5);
  }
  const decoded = decodeLog(JSON.parse(JSON.stringify(log.encode())));
  assert.equal(decoded.messages, count);
  assert.equal(decoded.sentMs[9999], 9999);
  assert.equal(decoded.settledMs[9998], 9998.5);
  assert.ok(Number.isNaN(decoded.settledMs[9999]));
  assert.deepEqual([...decoded.outcomes.subarray(0, 4)], [1, 0, 1, 0]);
});

test('the first outcome of a message stays', () => {
  const log = new MessageLog({startMs: 0, rate: 1, settles: true});
  log.send(0);
  log.settle(0, outcomes.refused, 1);
  log.settle(0, outcomes.taken, 2);
  const {outcomes: kept, settledMs} = decodeLog(log.encode());
  assert.deepEqual([kept[0], settledMs[0]], [outcomes.refused, 1]);
});

test('numbers survive their encoding', () => {
  const numbers = new Set([0, 5, 2 ** 31]);
  assert.deepEqual(decodeNumbers(encodeNumbers(numbers)), numbers);
  assert.deepEqual(decodeNumbers(''), new Set());
});
