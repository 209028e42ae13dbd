import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {MessageCheck, SequenceTracker} from '../../src/payload/message-check.js';
import {makePayloadRing} from '../../src/payload/ring.js';

for (const answer of /** @type {const} */ (['echo', 'increment'])) {
  for (const payloadBytes of [1, 15, 16, 100]) {
    const ring = makePayloadRing({payloadBytes, seed: 3, client: 5});
    const check = new MessageCheck(ring, {answer, every: 1});
    const reply = () => {
      const request = Buffer.from(ring.next());
      return answer === 'echo' ? request : Buffer.from(request.map((byte) => byte + 1));
    };

    test(`the ${answer} reply to a request of ${payloadBytes} bytes is accepted, and an error names each byte that differs`, () => {
      for (let count = 0; count < 40; count += 1) {
        const sequence = ring.taken;
        const message = reply();
        assert.equal(check.check(message, sequence), true);
        const offset = count % payloadBytes;
        const right = message[offset];
        message[offset] ^= 0x10;
        const text = new RegExp(
          `at offset ${offset}: expected 0x${right.toString(16).padStart(2, '0')}, received 0x${message[offset].toString(16).padStart(2, '0')}`,
        );
        assert.throws(() => check.check(message, sequence), {code: 'PB_WRONG_REPLY', message: text});
      }
    });

    test(`a reply that is shorter or longer than the ${payloadBytes} bytes of its ${answer} is refused with both lengths`, () => {
      const sequence = ring.taken;
      const message = reply();
      assert.throws(() => check.check(message.subarray(1), sequence), /bytes; \d+ were expected/);
      assert.throws(() => check.check(Buffer.concat([message, message]), sequence), {code: 'PB_WRONG_REPLY'});
    });
  }
}

test('all bytes of every k-th message are compared, and the length and number of each', () => {
  const ring = makePayloadRing({payloadBytes: 64, seed: 1});
  const check = new MessageCheck(ring, {answer: 'echo', every: 3});
  const compared = Array.from({length: 9}, (_, sequence) => {
    const message = Buffer.from(ring.next());
    if (sequence % 3 !== 0) message[40] ^= 1;
    return check.check(message, sequence);
  });
  assert.deepEqual(compared, [true, false, false, true, false, false, true, false, false]);
  const message = Buffer.from(ring.next());
  assert.throws(() => check.check(message, 10), {code: 'PB_WRONG_REPLY'});
});

test('a message out of order has the content of its slot', () => {
  const ring = makePayloadRing({payloadBytes: 64, seed: 1, inFlight: 32});
  const check = new MessageCheck(ring, {answer: 'echo', every: 1});
  for (const slot of [7, 3, 7, 31]) {
    const sequence = ring.taken;
    assert.equal(check.check(Buffer.from(ring.take(slot)), sequence, slot), true);
  }
});

/** @param {readonly number[]} sequences */
function track(sequences) {
  const tracker = new SequenceTracker();
  for (const sequence of sequences) tracker.add(sequence);
  const {distinct, duplicated, reordered} = tracker;
  return {distinct, duplicated, reordered};
}

const cases = /** @type {const} */ ([
  ['all in order', [0, 1, 2, 3], {distinct: 4, duplicated: 0, reordered: 0}],
  ['one missing', [0, 1, 3, 4], {distinct: 4, duplicated: 0, reordered: 0}],
  ['one twice in a row', [0, 1, 1, 2], {distinct: 3, duplicated: 1, reordered: 0}],
  ['one three times', [0, 1, 2, 0, 0], {distinct: 3, duplicated: 2, reordered: 0}],
  ['the first two swapped', [1, 0, 2], {distinct: 3, duplicated: 0, reordered: 1}],
  ['one late by three', [0, 2, 3, 1, 4], {distinct: 4 + 1, duplicated: 0, reordered: 1}],
  ['one twice beyond a gap', [0, 2, 2, 1, 1], {distinct: 3, duplicated: 2, reordered: 1}],
  ['none', [], {distinct: 0, duplicated: 0, reordered: 0}],
]);

for (const [name, sequences, expected] of cases) {
  test(`${name}: distinct, duplicated and reordered numbers are counted exactly`, () => {
    assert.deepEqual(track(sequences), expected);
  });
}

test('any sequence gives the same counts as a set of all numbers and their maximum', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({min: 0, max: 300_000}), {maxLength: 400}), (sequences) => {
      const seen = new Set();
      let highest = -1;
      let reordered = 0;
      for (const sequence of sequences) {
        if (!seen.has(sequence) && sequence < highest) reordered += 1;
        seen.add(sequence);
        highest = Math.max(highest, sequence);
      }
      const duplicated = sequences.length - seen.size;
      assert.deepEqual(track(sequences), {distinct: seen.size, duplicated, reordered});
    }),
  );
});

test('a million numbers of which every hundredth is missing take little memory', () => {
  const tracker = new SequenceTracker();
  for (let sequence = 0; sequence < 1_000_000; sequence += 1) if (sequence % 100 !== 7) tracker.add(sequence);
  assert.equal(tracker.distinct, 990_000);
  assert.ok(tracker.chunks.size <= 16, String(tracker.chunks.size));
});

test('only the next number is stored while none is missing', () => {
  const tracker = new SequenceTracker();
  for (let sequence = 0; sequence < 200_000; sequence += 1) tracker.add(sequence);
  assert.deepEqual([tracker.frontier, tracker.chunks.size], [200_000, 0]);
});
