import {RunError} from '../../errors.js';
import {differingColumn} from './row.js';
import {makeRows} from './rows.js';
import {recordSetBytes} from './size.js';

/**
 * @import {RecordSetReader} from './reader.js'
 * @import {Row} from './row.js'
 */

/**
 * Compares answers with the expected rows: always the number of the request, of rows and of bytes, and every value of every k-th answer.
 */
export class RecordSetCheck {
  /** @param {{rows: number, seed: number, verify: number, client?: number}} options verify: k */
  constructor({rows, seed, verify, client = 0}) {
    // Made beforehand: with several answers in flight, the later ones would wait while the rows are made.
    this.rows = [...makeRows(rows, seed)];
    this.bytes = recordSetBytes(rows);
    this.every = verify;
    this.client = client;
  }

  /** @param {number} sequence of a request @returns {boolean} whether all values of its answer are compared, so that its rows must be kept */
  compares(sequence) {
    return sequence % this.every === 0;
  }

  /**
   * @param {RecordSetReader} answer a complete one
   * @param {number} sequence of its request
   * @returns {boolean} whether every value was compared
   * @throws {RunError} PB_WRONG_REPLY, with what was expected and what was received
   */
  check(answer, sequence) {
    if (answer.failure) throw wrongReply(`An answer could not be decoded: ${answer.failure.message}`);
    this.#checkOutline(answer, sequence);
    if (!answer.rows) return false;
    compareRows(answer.rows, this.rows);
    return true;
  }

  /** @param {RecordSetReader} answer @param {number} sequence */
  #checkOutline({bytes, client, sequence: answered, count, rest}, sequence) {
    if (bytes === 0) throw wrongReply('An answer is empty: the server did not recognize the request.');
    if (client !== this.client || answered !== sequence) {
      throw wrongReply(
        `Request ${sequence} of client ${this.client} got the answer to request ${answered} of client ${client}.`,
      );
    }
    if (count !== this.rows.length || rest.length > 0) {
      const partial = rest.length > 0 ? ` and ${rest.length} bytes of a partial row` : '';
      throw wrongReply(`An answer has ${count} rows${partial}; ${this.rows.length} rows were expected.`);
    }
    if (bytes !== this.bytes) {
      throw wrongReply(`An answer has ${bytes} bytes; ${this.bytes} were expected.`);
    }
  }
}

/**
 * @param {readonly Row[]} rows
 * @param {readonly Row[]} expectedRows the same number
 */
function compareRows(rows, expectedRows) {
  for (let index = 0; index < rows.length; index += 1) {
    const [row, expected] = [rows[index], expectedRows[index]];
    const column = differingColumn(row, expected);
    if (!column) continue;
    const [value, other] = [row[column], expected[column]].map((one) => JSON.stringify(one));
    throw wrongReply(
      `Row ${index + 1} of an answer differs in ${column}: expected ${other}, received ${value}.`,
    );
  }
}

/** @param {string} message */
function wrongReply(message) {
  return new RunError(message, {code: 'PB_WRONG_REPLY'});
}
