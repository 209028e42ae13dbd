import {RunError} from '../../errors.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * @import {clientTrust} from '../../net/tls.js'
 * @import {Client, Waiting} from '../transport.js'
 */

/**
 * What every client library for HTTP gets, and what it offers.
 *
 * @typedef {object} HttpTarget
 * @property {string} host
 * @property {number} port
 * @property {string} [socketPath] of a Unix socket, in place of host and port
 * @property {Awaited<ReturnType<typeof clientTrust>>} trust null without TLS
 * @property {boolean} keepAlive
 * @property {boolean} noDelay TCP_NODELAY
 * @property {number} maxConnections
 * @property {() => void} onConnection called for each connection that is opened
 * @property {HttpRequest} [request] default: a POST of the payload to /
 *
 * @typedef {object} HttpRequest what each request is, beside its payload
 * @property {string} method
 * @property {string} path
 * @property {Readonly<Record<string, string>>} headers
 * @property {boolean} hasBody
 * @property {(status: number) => boolean} isGood whether a reply with that status counts
 *
 * @typedef {Pick<Client, 'ask' | 'close'>} HttpConnections
 */

/** @type {HttpRequest} */
export const postToRoot = {
  method: 'POST',
  path: '/',
  headers: {'content-type': 'application/octet-stream'},
  hasBody: true,
  isGood: isSuccess,
};

/** @param {number} status of a reply */
export function isSuccess(status) {
  return status >= 200 && status < 300;
}

/** The parts of a longer reply are put together as they come. Otherwise it would take twice its length at its end. */
const maxPartedBytes = 4 * 1024 * 1024;

/** A request in flight and its reply. Each client library has a subclass. */
export class Exchange {
  /** @param {Waiting} waiting @param {HttpRequest['isGood']} [isGood] */
  constructor(waiting, isGood = postToRoot.isGood) {
    this.waiting = waiting;
    this.isGood = isGood;
    this.status = 0;
    /** @type {Buffer[]} */
    this.chunks = [];
    this.length = 0;
    /** Of a long reply with a declared length. @type {Buffer | null} */
    this.whole = null;
    waiting.exchange = this;
  }

  /**
   * The head of the reply has arrived.
   * @param {number} status
   * @param {unknown} declaredBytes the value of its content-length, if it has one
   * @throws {RunError} PB_FRAME_TOO_LONG when the body is longer than any payload; the caller then ends the connection
   */
  begin(status, declaredBytes) {
    this.status = status;
    const bytes = Number(declaredBytes);
    if (bytes > maxPayloadBytes) throw tooLong(`declares ${declaredBytes}`);
    if (bytes > maxPartedBytes && this.waiting.onChunk === null) this.whole = Buffer.allocUnsafeSlow(bytes);
  }

  /**
   * Takes a part of the body.
   * @param {Buffer} chunk
   * @throws {RunError} as `begin`: the length of a chunked body is not declared
   */
  take(chunk) {
    const {onChunk} = this.waiting;
    if (onChunk !== null && this.isGood(this.status)) {
      onChunk(chunk);
      return;
    }
    this.length += chunk.length;
    if (this.length > maxPayloadBytes) throw tooLong('has more');
    if (this.whole) chunk.copy(this.whole, this.length - chunk.length);
    else this.chunks.push(chunk);
  }

  /** The reply is complete. Its body is empty for a 204 and a 205, and when `onChunk` received its parts. */
  end() {
    const {waiting, chunks, whole} = this;
    const body = whole ?? (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, this.length));
    waiting.exchange = null;
    if (this.isGood(this.status)) waiting.resolve(body);
    else waiting.reject(unexpectedStatus(this.status, body));
  }

  /** @param {Error} error */
  fail(error) {
    this.waiting.exchange = null;
    this.waiting.reject(error instanceof RunError ? error : connectionLost(error));
  }

  /** Gives the reply up. Its connection cannot be used any more. */
  abandon() {}
}

/** @param {string} what */
function tooLong(what) {
  return new RunError(`An HTTP reply ${what} bytes; at most ${maxPayloadBytes} are allowed.`, {
    code: 'PB_FRAME_TOO_LONG',
  });
}

/** @param {number} status @param {Buffer} body */
function unexpectedStatus(status, body) {
  const text = body.subarray(0, 200).toString('utf8');
  return new RunError(`The HTTP server answered ${status}${text ? `: ${text}` : ''}.`, {
    code: 'PB_HTTP_STATUS',
  });
}

/** @param {Error} cause */
function connectionLost(cause) {
  return new RunError(`The HTTP connection was lost (${cause.message}).`, {
    code: 'PB_CONNECTION_LOST',
    cause,
  });
}
