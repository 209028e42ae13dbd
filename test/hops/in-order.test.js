import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {InOrder} from '../../src/hops/dwell-times.js';

const sent = 'abcdefghijklmnopqrstuvwxyz';

/** @param {number} begin of `sent` @param {number} end @param {number} [initial] the sequence number of its first byte */
const piece = (begin, end, initial = 0) => ({
  ...{atMs: 0, fromPort: 4000, toPort: 5672, bytes: end - begin},
  ...{sequence: (initial + begin) >>> 0, head: Buffer.from(sent.slice(begin, end))},
});

/** @param {readonly ReturnType<typeof piece>[]} pieces each 1 ms after the one before */
function put(pieces) {
  const inOrder = new InOrder();
  return pieces
    .flatMap((one, index) => [...inOrder.add({...one, atMs: index})])
    .map(({atMs, head}) => `${atMs} ${head}`);
}

test('a segment that is sent again does not count again', () => {
  assert.deepEqual(put([piece(0, 4), piece(4, 8), piece(4, 8), piece(0, 8), piece(8, 10)]), [
    '0 abcd',
    '1 efgh',
    '4 ij',
  ]);
});

test('one that is sent again with more bytes counts for these', () => {
  assert.deepEqual(put([piece(0, 4), piece(2, 8)]), ['0 abcd', '1 efgh']);
});

test('one that comes early waits for what is before it, and passes then', () => {
  assert.deepEqual(put([piece(0, 2), piece(4, 6), piece(6, 8), piece(2, 4)]), [
    '0 ab',
    '3 cd',
    '3 ef',
    '3 gh',
  ]);
});

test('each direction of each connection has its own numbers', () => {
  const reply = {...piece(0, 3, 77), fromPort: 5672, toPort: 4000};
  const other = {...piece(0, 3, 99), fromPort: 4001};
  assert.deepEqual(put([piece(0, 4), reply, other]), ['0 abcd', '1 abc', '2 abc']);
});

test('what never comes is left out, and holds back nothing for long', () => {
  const many = Array.from({length: 300}, (_, index) => ({...piece(0, 1, 10 + index)}));
  assert.equal(put([piece(0, 1), ...many]).length, 301);
});

test('each byte passes once and in order, however segments are cut, repeated and mixed', () => {
  const cut = fc.tuple(fc.nat(sent.length), fc.nat(sent.length)).map(([one, other]) => {
    const [begin, end] = [Math.min(one, other), Math.max(one, other)];
    return /** @type {const} */ ([begin, end]);
  });
  const initial = fc.oneof(fc.nat(0xffffffff), fc.constant(0xfffffff8));
  fc.assert(
    fc.property(fc.array(cut, {maxLength: 20}), initial, (cuts, from) => {
      const first = piece(0, 1, from);
      const single = Array.from(sent, (_, index) => piece(index, index + 1, from));
      const mixed = cuts.filter(([begin, end]) => end > begin).map(([begin, end]) => piece(begin, end, from));
      const passed = put([first, ...mixed, ...single]).map((text) => text.split(' ')[1]);
      assert.equal(passed.join(''), sent);
    }),
  );
});
