import {RunError} from '../../errors.js';
import {clientOf, sequenceOf} from '../../payload/stamp.js';
import {chunkBytes} from './encoder.js';
import {rowType} from './row.js';
import {headerBytes} from './rows.js';

/** @import {Row} from './row.js' */

const nothing = Buffer.alloc(0);

/**
 * Decodes the rows of one answer while its bytes arrive, in chunks of any size. Errors are kept until the answer is checked, because the
 * caller is in the middle of reading from a socket.
 */
export class RecordSetReader {
  /** @param {{keepRows: boolean}} how keepRows: keep the decoded rows for a comparison; otherwise each is dropped */
  constructor({keepRows}) {
    /** @type {Row[] | null} */
    this.rows = keepRows ? [] : null;
    this.count = 0;
    this.bytes = 0;
    this.client = -1;
    this.sequence = -1;
    /** The bytes of an incomplete row or header. @type {Buffer} */
    this.rest = nothing;
    /** @type {Error | null} */
    this.failure = null;
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    this.bytes += chunk.length;
    if (this.failure) return;
    try {
      this.#decode(this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]));
    } catch (error) {
      this.failure = /** @type {Error} */ (error);
    }
  }

  /** @param {Buffer} bytes start with a row or with the header */
  #decode(bytes) {
    let offset = this.sequence < 0 ? this.#readHeader(bytes) : 0;
    while (offset < bytes.length && this.sequence >= 0) {
      const {value, offset: next} = rowType.decode(bytes, offset);
      // Negative: the row is incomplete.
      if (next < 0) break;
      offset = next;
      this.count += 1;
      this.rows?.push(value);
    }
    this.rest = bytes.subarray(offset);
    if (this.rest.length >= chunkBytes) {
      throw new RunError(`The bytes after row ${this.count} of an answer are not a row.`, {
        code: 'PB_WRONG_REPLY',
      });
    }
  }

  /** @param {Buffer} bytes @returns {number} where the rows start; 0 if the header is incomplete */
  #readHeader(bytes) {
    if (bytes.length < headerBytes) return 0;
    this.client = clientOf(bytes);
    this.sequence = sequenceOf(bytes);
    return headerBytes;
  }
}
