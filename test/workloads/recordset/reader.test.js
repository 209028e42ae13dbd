import assert from 'node:assert/strict';
import {test} from 'node:test';
import {array, assert as check, integer, property, uint8Array} from 'fast-check';
import {stampSequence} from '../../../src/payload/stamp.js';
import {RecordSetCheck, RecordSetReader} from '../../../src/workloads/recordset/client.js';
import {chunkBytes, encodeInChunks, makeRows} from '../../../src/workloads/recordset/rows.js';

/** @import {Row} from '../../../src/workloads/recordset/rows.js' */

const settings = {rows: 50, seed: 7, verify: 1, client: 3};
const checking = new RecordSetCheck(settings);
const answer = encode([...makeRows(settings.rows, settings.seed)]);

/** @param {readonly Row[]} rows */
function encode(rows, sequence = 12) {
  const stamp = Buffer.alloc(8);
  stampSequence(stamp, settings.client, sequence);
  return Buffer.concat([...encodeInChunks(stamp, rows, rows.length)]);
}

/** @param {readonly Buffer[]} chunks @param {boolean} [keepRows] */
function read(chunks, keepRows = true) {
  const reader = new RecordSetReader({keepRows});
  for (const chunk of chunks) reader.read(chunk);
  return reader;
}

/** @param {Buffer} bytes @param {readonly number[]} places shares of the whole, in any order */
function cut(bytes, places) {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

test('an answer is read the same however it is cut', () => {
  const place = integer({min: 0, max: 9999}).map((number) => number / 10_000);
  check(
    property(array(place, {maxLength: 40}), (places) => {
      const reader = read(cut(answer, places));
      assert.deepEqual([reader.count, reader.sequence, reader.client, reader.rest.length], [50, 12, 3, 0]);
      assert.equal(checking.check(reader, 12), true);
    }),
  );
  assert.equal(checking.check(read([...answer].map((byte) => Buffer.from([byte]))), 12), true);
});

test('rows that are not to be compared are counted and forgotten', () => {
  const reader = read([answer], false);
  assert.deepEqual([reader.count, reader.rows], [50, null]);
  assert.equal(checking.check(reader, 12), false);
});

test('which answers are compared by their values follows from their number', () => {
  const every = new RecordSetCheck({...settings, verify: 10});
  assert.deepEqual(
    [0, 1, 9, 10, 15, 20].map((sequence) => every.compares(sequence)),
    [true, false, false, true, false, true],
  );
});

const rows = [...makeRows(settings.rows, settings.seed)];
for (const {title, bytes, sequence = 12, message} of [
  {
    title: 'of another request',
    bytes: answer,
    sequence: 13,
    message: /Request 13 of client 3 got the answer to request 12/,
  },
  {title: 'without bytes', bytes: Buffer.alloc(0), message: /is empty/},
  {
    title: 'with a row too few',
    bytes: encode(rows.slice(0, -1)),
    message: /has 49 rows; 50 rows were expected/,
  },
  {
    title: 'with a row too many',
    bytes: encode([...rows, rows[3]]),
    message: /has 51 rows; 50 rows were expected/,
  },
  {
    title: 'that ends in the middle of a row',
    bytes: answer.subarray(0, -3),
    message: /49 rows and \d+ bytes of a partial row/,
  },
  {
    title: 'whose values are others',
    bytes: encode(rows.with(30, {...rows[30], quantity: rows[30].quantity ^ 1})),
    message: /Row 31 of an answer differs in quantity: expected \d+, received \d+/,
  },
  {
    title: 'whose point in time is another',
    bytes: encode(rows.with(0, {...rows[0], orderedAt: new Date(1_600_000_000_000)})),
    message: /Row 1 of an answer differs in orderedAt: expected "20.*", received "2020-09-13T12:26:40\.000Z"/,
  },
  {
    title: 'with longer rows',
    bytes: encode(rows.with(2, {...rows[2], comment: `${rows[2].comment}!`})),
    message: /has 2951 bytes; 2950 were expected/,
  },
]) {
  test(`an answer ${title} is refused`, () => {
    assert.throws(() => checking.check(read([bytes]), sequence), {code: 'PB_WRONG_REPLY', message});
  });
}

test('an answer in whose middle something else stands never throws while it is read, and is refused', () => {
  check(
    property(uint8Array({minLength: 1, maxLength: 200}), integer({min: 8, max: 2000}), (noise, offset) => {
      const bytes = Buffer.from(answer);
      bytes.set(noise, offset);
      const reader = read(cut(bytes, [0.3, 0.6]));
      try {
        checking.check(reader, 12);
      } catch (error) {
        return assert.equal(/** @type {any} */ (error).code, 'PB_WRONG_REPLY');
      }
      // Other bytes may stand for the same values: any but zero is a true.
      assert.deepEqual(encode(reader.rows ?? []), answer);
    }),
  );
});

test('bytes that never make a row are not gathered without end', () => {
  const endless = Buffer.alloc(chunkBytes, 0xff);
  const reader = read([answer, ...Array.from({length: 20}, () => endless)]);
  assert.ok(reader.rest.length < 2 * chunkBytes);
  assert.throws(() => checking.check(reader, 12), /could not be decoded/);
});
