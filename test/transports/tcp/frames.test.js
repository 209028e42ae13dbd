import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readFrames} from '../../../src/transports/tcp/frames.js';

const texts = ['a', '', 'four', 'a frame that is longer than the others'];

const bytes = Buffer.concat(
  texts.flatMap((text) => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(text.length);
    return [header, Buffer.from(text)];
  }),
);

for (const size of [1, 2, 3, 5, 8, 13, bytes.length]) {
  test(`frames survive that their memory is used again after every ${size} bytes`, () => {
    /** @type {Buffer[]} */
    const frames = [];
    const read = readFrames((frame) => frames.push(frame));
    const lent = Buffer.allocUnsafeSlow(size);
    for (let at = 0; at < bytes.length; at += size) {
      const count = bytes.copy(lent, 0, at, at + size);
      read(lent.subarray(0, count));
      lent.fill(0xff);
    }
    assert.deepEqual(frames.map(String), texts);
  });
}

test('a frame longer than any payload is an error', () => {
  const read = readFrames(() => assert.fail());
  assert.throws(() => read(Buffer.alloc(4, 0xff)), {code: 'PB_FRAME_TOO_LONG'});
});
