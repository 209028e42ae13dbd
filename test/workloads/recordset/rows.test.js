import assert from 'node:assert/strict';
import {test} from 'node:test';
import {assert as check, integer, property} from 'fast-check';
import {recordSetBytes} from '../../../src/workloads/recordset/request.js';
import {
  chunkBytes,
  differingColumn,
  encodeInChunks,
  makeRows,
} from '../../../src/workloads/recordset/rows.js';
import {runsOf} from '../../support/effort.js';

const stamp = Buffer.alloc(8);

/** @param {Iterable<Buffer>} chunks */
function lengthOf(chunks) {
  return [...chunks].reduce((total, {length}) => total + length, 0);
}

for (const [rows, megabytes] of [
  [8, 0.008],
  [504, 0.102],
  [2679, 0.156],
  [72_591, 4.086],
]) {
  test(`${rows} rows are ${megabytes} MB when they are encoded`, () => {
    const bytes = lengthOf(encodeInChunks(stamp, makeRows(rows, 1), rows));
    assert.equal(bytes, Math.round(megabytes * 1024 * 1024));
    assert.equal(bytes, recordSetBytes(rows));
  });
}

test('a set of any number of rows, from any seed, has just the bytes that were said beforehand', () => {
  check(
    property(integer({min: 1, max: 3000}), integer({min: 0, max: Number.MAX_SAFE_INTEGER}), (rows, seed) => {
      assert.equal(lengthOf(encodeInChunks(stamp, makeRows(rows, seed), rows)), recordSetBytes(rows));
    }),
    {numRuns: runsOf(60)},
  );
});

test('the same seed gives the same rows, another seed others, and ids count from 1', () => {
  const [one, again, other] = [1, 1, 2].map((seed) => [...makeRows(504, seed)]);
  assert.deepEqual(one, again);
  assert.notDeepEqual(one, other);
  assert.deepEqual(
    one.map(({id}) => id),
    Array.from({length: 504}, (_, index) => index + 1),
  );
});

test('a column that may be empty is so in some rows', () => {
  const rows = [...makeRows(504, 3)];
  for (const column of /** @type {const} */ (['shippedAt', 'discount'])) {
    const empty = rows.filter((row) => row[column] === null).length;
    assert.ok(empty > 50 && empty < 454, `${column}: ${empty}`);
  }
});

test('chunks are nearly full, and end with a whole row', () => {
  const chunks = [...encodeInChunks(stamp, makeRows(5000, 1), 5000)];
  assert.ok(chunks.length > 3);
  for (const chunk of chunks.slice(0, -1)) {
    assert.ok(chunk.length <= chunkBytes && chunk.length > chunkBytes - 100, String(chunk.length));
  }
});

test('a difference in any column is found', () => {
  const [row, other] = makeRows(2, 1);
  assert.equal(differingColumn(row, {...row, orderedAt: new Date(row.orderedAt)}), null);
  for (const [column, value] of /** @type {const} */ ([
    ['id', 0],
    ['orderId', 0],
    ['productCode', 'x'],
    ['quantity', -1],
    ['unitPrice', '0'],
    ['orderedAt', new Date(0)],
    ['shippedAt', row.shippedAt ? null : new Date(0)],
    ['discount', row.discount === null ? 0 : null],
    ['isReturned', !row.isReturned],
    ['comment', ''],
  ])) {
    assert.equal(differingColumn({...row, [column]: value}, row), column);
  }
  assert.equal(differingColumn(row, other), 'id');
});
