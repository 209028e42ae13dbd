import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {Frames} from '../../../src/brokers/kafka/guard.js';

/** @param {number} length */
function frame(length) {
  const bytes = Buffer.alloc(4 + length, 1);
  bytes.writeUInt32BE(length);
  return bytes;
}

test('answers that are no longer than allowed pass, in chunks of any size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({min: 4, max: 60}), {minLength: 1}),
      fc.integer({min: 1, max: 50}),
      (lengths, chunkBytes) => {
        const bytes = Buffer.concat(lengths.map(frame));
        const frames = new Frames();
        for (let at = 0; at < bytes.length; at += chunkBytes)
          assert.equal(frames.mistakeIn(bytes.subarray(at, at + chunkBytes), 60), null);
      },
    ),
  );
});

for (const [what, length] of /** @type {const} */ ([
  ['too long', 61],
  ['of 4 GB', 0xffff_ffff],
  ['without a number', 3],
]))
  test(`an answer that is ${what} is a mistake as soon as its length is there`, () => {
    const start = Buffer.alloc(4);
    start.writeUInt32BE(length);
    const frames = new Frames();
    assert.equal(frames.mistakeIn(frame(20), 60), null);
    assert.equal(frames.mistakeIn(start.subarray(0, 3), 60), null);
    assert.match(
      String(frames.mistakeIn(start.subarray(3), 60)),
      new RegExp(`announced an answer of ${length} bytes`),
    );
  });
