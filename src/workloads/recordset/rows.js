import avro from 'avsc';
import {randomBytes, randomSource} from '../../payload/random.js';
import {sequenceBytes} from '../../payload/stamp.js';
import {recordSetBytes} from './request.js';

/** @typedef {{streamed: () => Iterable<Row>, preloaded: () => Iterable<Row>}} Source the rows of an answer; each call reads them again */

/** An answer starts with the number of its request. */
export const headerBytes = sequenceBytes;

const textBytes = 8192;
/** 26 letters and 6 spaces, so that 5 random bits select a character. */
const alphabet = Buffer.from('abcdefghijklmnopqrstuvwxyz      ');
/** Avro writes the length of a string before the string. Up to this length, the length takes one byte. */
const maxLengthOfOneByte = 63;
/** Larger than any row without its comment. */
const scratch = Buffer.alloc(256);
const firstDay = Date.UTC(2020, 0, 1);
const dayMs = 86_400_000;
const productsKnown = 10_000;

/**
 * Yields the rows of a set. The same number and seed give the same rows at both ends. Header and encoded rows have exactly the bytes of
 * `recordSetBytes`, spread evenly over the rows: the other columns take 25 to 48 bytes, and the comment takes the rest.
 * @param {number} rows @param {number} seed @returns {Generator<Row, void>}
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

/** @param {number} id @param {() => number} random @returns {Row} with an empty comment */
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

/** @param {Row} row with an empty comment @param {number} rowBytes size of the row with its comment */
function commentLength(row, rowBytes) {
  const withoutLength = rowType.encode(row, scratch, 0) - 1;
  const left = rowBytes - withoutLength;
  return left - 1 > maxLengthOfOneByte ? left - 2 : left - 1;
}

/**
 * A row of a table of order lines, with the values that a database driver for Node.js returns: a decimal as a string, a time as a Date, null
 * for a column without a value.
 *
 * @typedef {object} Row
 * @property {number} id from 1 on, without gaps
 * @property {number} orderId
 * @property {string} productCode
 * @property {number} quantity
 * @property {string} unitPrice decimal, two places
 * @property {Date} orderedAt
 * @property {Date | null} shippedAt
 * @property {number | null} discount a share
 * @property {boolean} isReturned
 * @property {string} comment fills the row up to its size
 */

/** Converts Avro's milliseconds since 1970 to a Date and back. */
class PointInTime extends avro.types.LogicalType {
  /** @param {number} milliseconds */
  _fromValue(milliseconds) {
    return new Date(milliseconds);
  }

  /** @param {unknown} value a Date; Avro also passes null, and undefined is faster than an exception */
  _toValue(value) {
    return value instanceof Date ? value.getTime() : undefined;
  }
}

/** @type {avro.schema.AvroSchema} */
const pointInTime = {type: 'long', logicalType: 'timestamp-millis'};

/** Rows are not separated. Both ends know the columns, because a database sends them once per query. */
export const rowType = avro.Type.forSchema(
  {
    type: 'record',
    name: 'Row',
    fields: [
      {name: 'id', type: 'int'},
      {name: 'orderId', type: 'int'},
      {name: 'productCode', type: 'string'},
      {name: 'quantity', type: 'int'},
      {name: 'unitPrice', type: 'string'},
      {name: 'orderedAt', type: pointInTime},
      {name: 'shippedAt', type: ['null', pointInTime]},
      {name: 'discount', type: ['null', 'double']},
      {name: 'isReturned', type: 'boolean'},
      {name: 'comment', type: 'string'},
    ],
  },
  {logicalTypes: {'timestamp-millis': PointInTime}, wrapUnions: 'never', omitRecordMethods: true},
);

const {fields} = /** @type {avro.types.RecordType} */ (rowType);
const columns = fields.map(({name}) => /** @type {keyof Row} */ (name));

/** @param {Row} row @param {Row} expected @returns {keyof Row | null} the first column whose values differ */
export function differingColumn(row, expected) {
  for (const column of columns) {
    const [value, other] = [row[column], expected[column]];
    if (value === other) continue;
    if (value instanceof Date && other instanceof Date && value.getTime() === other.getTime()) continue;
    return column;
  }
  return null;
}

/** A chunk has at most this many bytes and ends with a whole row. */
export const chunkBytes = 32 * 1024;

/**
 * Encodes a row set and yields each chunk as soon as it is full.
 * @param {Buffer} stamp the first bytes of the answer
 * @param {Iterable<Row>} rows @param {number} count number of rows @returns {Generator<Buffer, void>}
 */
export function* encodeInChunks(stamp, rows, count) {
  let chunk = Buffer.allocUnsafe(Math.min(chunkBytes, recordSetBytes(count)));
  let end = stamp.copy(chunk);
  for (const row of rows) {
    const next = rowType.encode(row, chunk, end);
    // A negative offset means that the row did not fit.
    if (next < 0) {
      yield chunk.subarray(0, end);
      chunk = Buffer.allocUnsafe(chunkBytes);
      end = rowType.encode(row, chunk, 0);
    } else {
      end = next;
    }
  }
  yield chunk.subarray(0, end);
}
