import {RunError} from '../../errors.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * @import {clientTrust} from '../../net/tls.js'
 * @import {Client, Waiting} from '../transport.js'
 */

/**
 * The interface between the transport and a client library for HTTP.
 *
 * @typedef {object} HttpTarget
 * @property {string} host
 * @property {number} port
 * @property {string} [socketPath] the path of a Unix socket, instead of host and port
 * @property {Awaited<ReturnType<typeof clientTrust>>} trust null without TLS
 * @property {boolean} keepAlive
 * @property {boolean} noDelay TCP_NODELAY
 * @property {number} maxConnections
 * @property {() => void} onConnection is called for each opened connection
 * @property {HttpRequest} [request] default: a POST of the payload to /
 *
 * @typedef {object} HttpRequest a request without its payload
 * @property {string} method
 * @property {string} path
 * @property {Readonly<Record<string, string>>} headers
 * @property {boolean} hasBody
 * @property {(status: number) => boolean} isGood whether a reply with this status counts
 * @property {(status: number) => string} [hintFor] what to do about a reply that does not count, or an empty text
 * @property {boolean} [isNamed] whether a person named the server, so that there may be none
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

/**
 * A longer reply with a declared length is copied into one buffer as it arrives. Joining its parts at the end would take twice its length
 * in memory.
 */
const maxPartedBytes = 4 * 1024 * 1024;

/** A request in flight and its reply, with a subclass for each client library. */
export class Exchange {
  /** @param {Waiting} waiting @param {HttpRequest} [request] */
  constructor(waiting, request = postToRoot) {
    this.waiting = waiting;
    this.request = request;
    this.status = 0;
    /** @type {Buffer[]} */
    this.chunks = [];
    this.length = 0;
    /** The body of a long reply with a declared length. @type {Buffer | null} */
    this.whole = null;
    waiting.exchange = this;
  }

  /**
   * Takes the head of the reply.
   * @param {number} status
   * @param {unknown} declaredBytes the value of its content-length, if present
   * @throws {RunError} PB_FRAME_TOO_LONG when the body is longer than the maximum payload; the caller then ends the connection
   */
  begin(status, declaredBytes) {
    this.status = status;
    const bytes = Number(declaredBytes);
    if (bytes > maxPayloadBytes) throw tooLong(`declares ${declaredBytes}`);
    if (bytes > maxPartedBytes && this.waiting.onChunk === null) this.whole = Buffer.allocUnsafeSlow(bytes);
  }

  /** Takes a part of the body. @param {Buffer} chunk @throws {RunError} PB_FRAME_TOO_LONG, because a chunked body declares no length */
  take(chunk) {
    const {onChunk} = this.waiting;
    if (onChunk !== null && this.request.isGood(this.status)) {
      onChunk(chunk);
      return;
    }
    this.length += chunk.length;
    if (this.length > maxPayloadBytes) throw tooLong('has more');
    if (this.whole) chunk.copy(this.whole, this.length - chunk.length);
    else this.chunks.push(chunk);
  }

  /** Ends the exchange when the reply is complete. The body is empty for status 204 and 205, and if `onChunk` received the parts. */
  end() {
    const {waiting, chunks, whole} = this;
    const body = whole ?? (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, this.length));
    waiting.exchange = null;
    if (this.request.isGood(this.status)) waiting.resolve(body);
    else waiting.reject(unexpectedStatus(this.status, body, this.request.hintFor?.(this.status) ?? ''));
  }

  /** @param {Error} error */
  fail(error) {
    this.waiting.exchange = null;
    const explain = this.request.isNamed ? explainNamed : connectionLost;
    this.waiting.reject(error instanceof RunError ? error : explain(error));
  }

  /** Gives up the reply, and ends its connection or stream. */
  abandon() {}
}

/** @param {string} what */
function tooLong(what) {
  return new RunError(`An HTTP reply ${what} bytes; at most ${maxPayloadBytes} are allowed.`, {
    code: 'PB_FRAME_TOO_LONG',
  });
}

/** @param {number} status @param {Buffer} body @param {string} hint */
function unexpectedStatus(status, body, hint) {
  const text = body.subarray(0, 200).toString('utf8');
  return new RunError(`The HTTP server answered ${status}${text ? `: ${text}` : ''}.${hint && ` ${hint}`}`, {
    code: 'PB_HTTP_STATUS',
  });
}

/** What connecting to a server fails with that does not exist or cannot be reached. */
const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'];

/** @param {Error} cause for a name with several addresses, an error that holds one error for each address */
function explainNamed(cause) {
  const errors = /** @type {NodeJS.ErrnoException[]} */ (
    cause instanceof AggregateError ? cause.errors : [cause]
  );
  const isConnecting = errors.some(
    ({syscall, code = ''}) =>
      (syscall === 'connect' || syscall === 'getaddrinfo') && unreachable.includes(code),
  );
  if (!isConnecting) return connectionLost(cause);
  const reasons = errors.map(({message}) => message).join('; ');
  return new RunError(`No server could be reached: ${reasons}.`, {code: 'PB_NO_SERVER', cause});
}

/** @param {Error} cause */
function connectionLost(cause) {
  return new RunError(`The HTTP connection was lost (${cause.message}).`, {
    code: 'PB_CONNECTION_LOST',
    cause,
  });
}
