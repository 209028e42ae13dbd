import {randomBytes, randomSource} from '../../payload/random.js';
import {sequenceBytes} from '../../payload/stamp.js';
import {rowType} from './row.js';
import {recordSetBytes} from './size.js';

/** @import {Row} from './row.js' */

/**
 * Where the rows of answers come from: each call reads them anew.
 * @typedef {{streamed: () => Iterable<Row>, preloaded: () => Iterable<Row>}} Source
 */

/** An answer starts with the number of its request. */
export const headerBytes = sequenceBytes;

const textBytes = 8192;
/** 26 letters and 6 spaces; 5 random bits choose one. */
const alphabet = Buffer.from('abcdefghijklmnopqrstuvwxyz      ');
/** Avro writes the length of a string before the string, in one byte up to this length. */
const maxLengthOfOneByte = 63;
/** More bytes than any row has without its comment. */
const scratch = Buffer.alloc(256);
const firstDay = Date.UTC(2020, 0, 1);
const dayMs = 86_400_000;
const productsKnown = 10_000;

/**
 * The rows of a set, one after the other. The same number and seed give the same rows at both ends. Header and encoded rows have exactly the
 * bytes of `recordSetBytes`, spread evenly over the rows: the other columns take 25 to 48 bytes, and the comment takes the rest.
 *
 * @param {number} rows how many
 * @param {number} seed
 * @returns {Generator<Row, void>}
 */
export function* makeRows(rows, seed) {
  const random = randomSource(seed, `set of ${rows} rows`);
  const text = randomBytes(seed, 'text of rows', textBytes).map((byte) => alphabet[byte & 31]);
  const letters = Buffer.from(text.buffer, text.byteOffset, text.length);
  const bytes = recordSetBytes(rows) - headerBytes;
  let end = 0;
  for (let index = 0; index < rows; index += 1) {
    const begin = end;
    end = Math.floor(((index + 1) * bytes) / rows);
    const row = makeRow(index + 1, random);
    const length = commentLength(row, end - begin);
    const offset = Math.floor(random() * (textBytes - length));
    row.comment = letters.toString('latin1', offset, offset + length);
    yield row;
  }
}

/**
 * @param {number} id
 * @param {() => number} random
 * @returns {Row} with an empty comment
 */
function makeRow(id, random) {
  const below = (/** @type {number} */ limit) => Math.floor(random() * limit);
  const orderedAt = firstDay + below(1500 * dayMs);
  return {
    id,
    orderId: 1 + Math.floor(id / 3),
    productCode: `AR-${String(below(productsKnown)).padStart(4, '0')}`,
    quantity: 1 + below(500),
    unitPrice: (0.01 + random() * 9999).toFixed(2),
    orderedAt: new Date(orderedAt),
    shippedAt: random() < 0.8 ? new Date(orderedAt + below(30 * dayMs)) : null,
    discount: random() < 0.3 ? below(50) / 100 : null,
    isReturned: random() < 0.05,
    comment: '',
  };
}

/**
 * @param {Row} row with an empty comment
 * @param {number} rowBytes its size afterwards
 */
function commentLength(row, rowBytes) {
  const withoutLength = rowType.encode(row, scratch, 0) - 1;
  const left = rowBytes - withoutLength;
  return left - 1 > maxLengthOfOneByte ? left - 2 : left - 1;
}
