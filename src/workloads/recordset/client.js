import {RunError} from '../../errors.js';
import {clientOf, sequenceOf} from '../../payload/stamp.js';
import {measureWindow} from '../measure-window.js';
import {recordSetBytes} from './request.js';
import {chunkBytes, differingColumn, headerBytes, makeRows, rowType} from './rows.js';

/**
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 * @import {Delivery} from './request.js'
 * @import {RequestSlot} from '../request-window.js'
 * @import {Waiting} from '../../transports/transport.js'
 * @import {Row} from './rows.js'
 */

/**
 * Keeps a window of requests for rows in flight. An answer is complete when all its rows are decoded into JavaScript values. So its time includes
 * encoding at the server and decoding at the client. Streamed rows of one chunk are decoded while the next chunk is in flight. Rows are
 * compared with the expected rows after the time is taken.
 * @param {WorkloadContext<{rows: number, delivery: Delivery, window: number, verify: number, retries: number}>} context
 * @returns {Promise<WorkloadResult<{notes: {rows: number}}>>}
 * @throws {RunError} PB_NO_REPLY, or the error of the transport when its connection is lost
 */
export async function measureRecordSets(context) {
  const {options} = context;
  const check = new RecordSetCheck(options);
  const client = new RecordSetClient(context.connection, check, options);
  const onWarm = () => {
    // After the restart, the first measured answer is one of the compared answers.
    context.ring.restart();
    client.rows = 0;
  };
  const {recorder, window, ms, ...rest} = await measureWindow(context, {
    ...{client, onWarm},
    checkOf: () => check,
  });
  const {counts, tally} = window;
  const latency = recorder.finish();
  return {
    ...rest,
    latency,
    windows: recorder.windows(),
    // With a window of one, answers are compared between two requests, and the time of the comparison does not count.
    timed: {messages: counts.received, ms: options.window === 1 ? (latency.mean * latency.count) / 1e6 : ms},
    counts: {...counts, duplicated: 0},
    mismatch: tally.mismatch,
    notes: {rows: client.rows},
    payloadBytes: recordSetBytes(options.rows),
  };
}

/** A client for the request window whose replies are decoded row sets. */
class RecordSetClient {
  /**
   * @param {WorkloadContext['connection']} connection @param {RecordSetCheck} check
   * @param {{delivery: Delivery}} options
   */
  constructor(connection, check, {delivery}) {
    this.connection = connection;
    this.check = check;
    this.isStreamed = delivery === 'streamed';
    /** Number of decoded rows of all answers so far. */
    this.rows = 0;
    /** @type {Map<RequestSlot, Waiting>} */
    this.inFlight = new Map();
  }

  /** @param {Buffer} request @param {RequestSlot} slot is resolved with a reader that has all rows */
  ask(request, slot) {
    const answer = new RecordSetReader({keepRows: this.check.compares(sequenceOf(request))});
    const decode = (/** @type {Buffer} */ chunk) => answer.read(chunk);
    /** @type {Waiting} */
    const waiting = {
      onChunk: this.isStreamed ? decode : null,
      resolve: (last) => {
        this.inFlight.delete(slot);
        if (last.length > 0) answer.read(last);
        this.rows += answer.count;
        slot.resolve(answer);
      },
      reject: (error) => slot.reject(error),
    };
    this.inFlight.set(slot, waiting);
    this.connection.client.ask(request, waiting);
  }

  /** @param {RequestSlot} slot */
  abandon(slot) {
    const waiting = this.inFlight.get(slot);
    this.inFlight.delete(slot);
    if (waiting) this.connection.client.abandon?.(waiting);
  }
}

const nothing = Buffer.alloc(0);

/**
 * Decodes the rows of one answer while its bytes arrive, in chunks of any size. It keeps an error until the answer is checked, because the
 * caller is in the middle of reading from a socket.
 */
export class RecordSetReader {
  /** @param {{keepRows: boolean}} how keepRows: keep the decoded rows for a comparison; otherwise each row is dropped */
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
      // A negative offset means an incomplete row.
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

  /** @param {Buffer} bytes @returns {number} offset of the rows; 0 if the header is incomplete */
  #readHeader(bytes) {
    if (bytes.length < headerBytes) return 0;
    this.client = clientOf(bytes);
    this.sequence = sequenceOf(bytes);
    return headerBytes;
  }
}

/**
 * Compares answers with the expected rows: always the number of the request, of rows and of bytes, and every value of every k-th answer.
 */
export class RecordSetCheck {
  /** @param {{rows: number, seed: number, verify: number, client?: number}} options verify: k */
  constructor({rows, seed, verify, client = 0}) {
    // The rows are made beforehand. Otherwise answers in flight would wait while the rows are made.
    this.rows = [...makeRows(rows, seed)];
    this.bytes = recordSetBytes(rows);
    this.every = verify;
    this.client = client;
  }

  /** @param {number} sequence of a request @returns {boolean} whether all values of the answer are compared, so that its rows must be kept */
  compares(sequence) {
    return sequence % this.every === 0;
  }

  /**
   * @param {RecordSetReader} answer a complete answer
   * @param {number} sequence of its request
   * @returns {boolean} whether every value was compared
   * @throws {RunError} PB_WRONG_REPLY, with the expected and the received value
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

/** @param {readonly Row[]} rows @param {readonly Row[]} expectedRows the same number */
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
