import {RunError} from '../../errors.js';
import {differingColumn} from './row.js';
import {makeRows} from './rows.js';
import {recordSetBytes} from './size.js';

/**
 * @import {RecordSetReader} from './reader.js'
 * @import {Row} from './row.js'
 */

/**
 * Compares answers with what they must be: the number of the request, the number of rows and of bytes always, every value of every k-th.
 */
export class RecordSetCheck {
  /** @param {{rows: number, seed: number, verify: number, client?: number}} options verify: k */
  constructor({rows, seed, verify, client = 0}) {
    // Made beforehand: with several answers in flight those behind would wait while they are made.
    this.rows = [...makeRows(rows, seed)];
    this.bytes = recordSetBytes(rows);
    this.every = verify;
    this.client = client;
  }

  /** @param {number} sequence of a request @returns {boolean} whether all its values are compared, for which its rows must be kept */
  compares(sequence) {
    return sequence % this.every === 0;
  }

  /**
   * @param {RecordSetReader} answer that has ended
   * @param {number} sequence of its request
   * @returns {boolean} whether every value was compared
   * @throws {RunError} PB_WRONG_REPLY, saying what was expected and what came
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
    if (bytes === 0)
      throw wrongReply('An answer has no bytes: the server took the request for none of its own.');
    if (client !== this.client || answered !== sequence) {
      throw wrongReply(
        `Request ${sequence} of client ${this.client} got the answer to request ${answered} of client ${client}.`,
      );
    }
    if (count !== this.rows.length || rest.length > 0) {
      const behind = rest.length > 0 ? ` and ${rest.length} bytes of no whole row` : '';
      throw wrongReply(`An answer has ${count} rows${behind}; ${this.rows.length} rows were expected.`);
    }
    if (bytes !== this.bytes) {
      throw wrongReply(`An answer has ${bytes} bytes; ${this.bytes} were expected.`);
    }
  }
}

/**
 * @param {readonly Row[]} rows
 * @param {readonly Row[]} expectedRows as many
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
