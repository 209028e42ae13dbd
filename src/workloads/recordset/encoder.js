import {rowType} from './row.js';
import {recordSetBytes} from './size.js';

/** @import {Row} from './row.js' */

/** A chunk has at most this many bytes and ends with a whole row. */
export const chunkBytes = 32 * 1024;

/**
 * Encodes a row set and yields each chunk as soon as it is full.
 *
 * @param {Buffer} stamp the first bytes of the answer
 * @param {Iterable<Row>} rows
 * @param {number} count how many they are
 * @returns {Generator<Buffer, void>}
 */
export function* encodeInChunks(stamp, rows, count) {
  let chunk = Buffer.allocUnsafe(Math.min(chunkBytes, recordSetBytes(count)));
  let end = stamp.copy(chunk);
  for (const row of rows) {
    const next = rowType.encode(row, chunk, end);
    // Negative: the row did not fit.
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
