import {connect} from 'node:http2';
import {RunError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {Exchange} from '../http/exchange.js';

/**
 * @import {HttpConnections, HttpRequest} from '../http/exchange.js'
 * @import {Waiting} from '../transport.js'
 * @import {ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader, OutgoingHttpHeaders} from 'node:http2'
 * @import {ConnectionOptions} from 'node:tls'
 */

/** Memory limit of a session, in MB. By default, a session refuses streams above 10 MB, which a window of large messages exceeds. */
export const maxSessionMemory = 4096;

/**
 * @typedef {object} SessionTarget
 * @property {string} host
 * @property {number} port
 * @property {ConnectionOptions | null} trust null without TLS
 * @property {number} windowBytes of each stream and of the connection
 * @property {number} greetingMs how long the server's settings may take, in milliseconds
 * @property {HttpRequest} request the properties of each request
 *
 * @typedef {HttpConnections & {lost: Promise<Error>, session: ClientHttp2Session}} OpenSession lost: resolves when the session ends unexpectedly
 */

/** Opens a session, in which each request is a stream. @param {SessionTarget} target @returns {Promise<OpenSession>} */
export async function openSession({host, port, trust, windowBytes, greetingMs, request}) {
  const session = connect(`${trust ? 'https' : 'http'}://${joinAddress(host, port)}`, {
    ...trust,
    settings: {enablePush: false, initialWindowSize: windowBytes},
    maxSessionMemory,
  });
  await settled(session, greetingMs);
  session.setLocalWindowSize(windowBytes);
  /** @type {Error | null} */
  let failure = null;
  let isClosing = false;
  /** @type {Promise<Error>} */
  const lost = new Promise((resolve) => {
    session.on('error', (error) => {
      failure ??= connectionLost(error.message);
    });
    session.on('close', () => {
      failure ??= connectionLost('the server ended it');
      if (!isClosing) resolve(failure);
    });
  });
  const {method, path, hasBody} = request;
  const head = {':method': method, ':path': path, ...request.headers};
  return {
    lost,
    session,
    ask(payload, waiting) {
      if (session.destroyed || session.closed) {
        waiting.reject(failure ?? connectionLost('it is closed'));
        return;
      }
      /** @type {OutgoingHttpHeaders} */
      const headers = hasBody ? {...head, 'content-length': payload.length} : {...head};
      const stream = session.request(headers, hasBody ? undefined : bodiless);
      follow(stream, new Http2Exchange(waiting, request, stream));
      if (hasBody) stream.end(payload);
    },
    async close() {
      isClosing = true;
      failure ??= connectionLost('it was closed');
      session.destroy();
    },
  };
}

const bodiless = {endStream: true};

/**
 * Waits for the server's settings, which show that it accepted the connection and the client's certificate.
 * @param {ClientHttp2Session} session @param {number} timeoutMs
 */
async function settled(session, timeoutMs) {
  /** @type {Promise<void>} */
  const settings = new Promise((resolve, reject) => {
    session.once('remoteSettings', () => resolve());
    session.once('error', reject);
    session.once('close', () => reject(connectionLost('the server ended it before its settings')));
  });
  try {
    await bounded(settings, timeoutMs);
  } catch (error) {
    session.on('error', () => {});
    session.destroy();
    throw error;
  }
  session.removeAllListeners();
}

/** A request in flight. All streams share their listeners. */
class Http2Exchange extends Exchange {
  isSettled = false;

  /** @param {Waiting} waiting @param {HttpRequest} request @param {ClientHttp2Stream} stream */
  constructor(waiting, request, stream) {
    super(waiting, request);
    this.stream = stream;
  }

  /** @override */
  end() {
    this.isSettled = true;
    super.end();
  }

  /** @override @param {Error} error */
  fail(error) {
    if (this.isSettled) return;
    this.isSettled = true;
    super.fail(error);
  }

  /** @override */
  abandon() {
    this.isSettled = true;
    this.stream.close(cancel);
  }
}

/** The error code of RFC 9113 for a stream that is no longer needed. */
const cancel = 0x8;

const exchangeOf = Symbol('exchange');

/** @typedef {ClientHttp2Stream & {[exchangeOf]: Http2Exchange}} FollowedStream */

/** @param {ClientHttp2Stream} stream @param {Http2Exchange} exchange */
function follow(stream, exchange) {
  /** @type {FollowedStream} */ (stream)[exchangeOf] = exchange;
  stream.on('response', onResponse);
  stream.on('data', onData);
  stream.on('end', onEnd);
  stream.on('error', onError);
  stream.on('close', onClose);
}

/** @this {FollowedStream} @param {IncomingHttpHeaders & IncomingHttpStatusHeader} headers */
function onResponse(headers) {
  try {
    this[exchangeOf].begin(headers[':status'] ?? 0, headers['content-length']);
  } catch (error) {
    refuse(this, error);
  }
}

/** @this {FollowedStream} @param {Buffer} chunk */
function onData(chunk) {
  if (this[exchangeOf].isSettled) return;
  try {
    this[exchangeOf].take(chunk);
  } catch (error) {
    refuse(this, error);
  }
}

/** Streams that were reset emit `end`, too. @this {FollowedStream} */
function onEnd() {
  const exchange = this[exchangeOf];
  if (!exchange.isSettled && !this.destroyed && this.rstCode === 0) exchange.end();
}

/** @this {FollowedStream} @param {Error} error */
function onError(error) {
  this[exchangeOf].fail(connectionLost(error.message));
}

/** @this {FollowedStream} */
function onClose() {
  const exchange = this[exchangeOf];
  if (!exchange.isSettled) exchange.fail(connectionLost('the stream ended before its reply'));
}

/** @param {FollowedStream} stream @param {unknown} error */
function refuse(stream, error) {
  stream[exchangeOf].fail(/** @type {Error} */ (error));
  stream.close(cancel);
}

/** @param {string} why */
function connectionLost(why) {
  return new RunError(`The HTTP/2 connection was lost (${why}).`, {code: 'PB_CONNECTION_LOST'});
}
