import assert from 'node:assert/strict';
import {test} from 'node:test';
import {MessageCheck} from '../../src/payload/message-check.js';
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
