import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {Progress} from '../../src/transports/taker.js';

test('a log was dealt with up to the first message that was not', () => {
  const progress = new Progress(5n);
  const [first, second, third] = [5n, 6n, 9n].map((offset) => progress.deliver(offset));
  assert.equal(second(), 5n);
  assert.equal(first(), 7n);
  assert.equal(third(), 10n);
  assert.equal(third(), 10n);
  assert.equal(progress.next, 10n);
});

test('whatever the order of the ends, no message counts before those that came before it', () => {
  const some = fc.shuffledSubarray([...Array(8).keys()], {minLength: 0});
  fc.assert(
    fc.property(some, (ended) => {
      const progress = new Progress(0n);
      const ends = [...Array(8).keys()].map((offset) => progress.deliver(BigInt(offset)));
      for (const offset of ended) ends[offset]();
      const isEnded = (/** @type {number} */ offset) => ended.includes(offset);
      const next = Number(progress.next);
      assert.ok([...Array(next).keys()].every(isEnded) && !isEnded(next));
    }),
  );
});
