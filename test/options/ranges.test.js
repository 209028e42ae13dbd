import assert from 'node:assert/strict';
import {test} from 'node:test';
import {bytes, integer, listOf, withRanges} from '../../src/options/types.js';

const sizes = listOf(withRanges(bytes({minimum: 1, maximum: 1024 ** 2})));

const good = /** @type {const} */ ([
  ['1', [1]],
  ['1,32..128+32', [1, 32, 64, 96, 128]],
  ['1..4', [1, 2, 3, 4]],
  ['1kb..3kb+1kb', [1024, 2048, 3072]],
  ['10..25+10', [10, 20]],
  ['7..7+3', [7]],
  ['1..3, 2..4', [1, 2, 3, 4]],
]);
for (const [text, values] of good) {
  test(`${text} means ${values.join(', ')}`, () => assert.deepEqual(sizes.parse(text), values));
}

test('the sizes of a published suite are 128', () => {
  assert.equal(sizes.parse('1,32..4064+32')?.length, 128);
});

const bad = /** @type {const} */ ([
  ['4..1', /is empty: its end is below its start/],
  ['1..4+0', /step of the range .* must be greater than 0/],
  ['1..4+0kb', /step of the range .* must be greater than 0/],
  ['1..1mb+1', /has 1048576 values; at most 10000 are allowed/],
]);
for (const [text, message] of bad) {
  test(`${text} is refused with the reason`, () =>
    assert.throws(() => sizes.parse(text), {code: 'PB_USAGE', message}));
}

for (const text of ['1..', '..4', '1..x', '1..4+', '1..4+x', '0..4', '1...4', '1..2mb']) {
  test(`${text} is no range of sizes from 1 byte to 1 MB`, () => assert.equal(sizes.parse(text), undefined));
}

test('a range of plain numbers works alike', () => {
  assert.deepEqual(listOf(withRanges(integer({minimum: 0, maximum: 9}))).parse('0..8+4'), [0, 4, 8]);
});
