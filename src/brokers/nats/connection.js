import {TLSSocket} from 'node:tls';
import {UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded, NoAnswerError} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {describeTls, explainCertificates} from '../../net/tls.js';
import {clientCredentials} from '../../net/tls-files.js';
import {firstAvailable} from '../first-available.js';
import {NatsProtocolError, openGuarded} from './guarded.js';

/**
 * @import {ServerAddress} from '../first-available.js'
 * @import {OpenBounds, RoleSettings} from '../kind.js'
 * @import {NatsConnection} from './url.js'
 * @import {NatsConnection as Library} from '@nats-io/transport-node'
 * @import {Socket} from 'node:net'
 */

/** @typedef {RoleSettings<NatsConnection> & {subject: string}} NatsSettings subject: the prefix of the subjects */

const openWithinMs = 10_000;
/** A server that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;

/**
 * Opens a connection to the first server that answers.
 * @param {NatsConnection} connection @param {Omit<OpenBounds, 'noDelay'>} [bounds]
 * @returns {Promise<{nats: Library, server: ServerAddress}>} the caller closes it
 * @throws {UnavailableError} names each server and the reason why it is not available
 */
export async function connectFirst(connection, {timeoutMs = openWithinMs, ...bounds} = {}) {
  return await firstAvailable(connection, timeoutMs, async (server, shareMs) => ({
    nats: await connectNats({...connection, ...server}, {...bounds, timeoutMs: shareMs}),
    server,
  }));
}

/**
 * Opens a connection to one server within a time limit. The client does not reconnect: a trial that loses its connection fails.
 * @param {NatsConnection} connection @param {Omit<OpenBounds, 'noDelay'>} [bounds]
 * @returns {Promise<Library>} the caller closes it
 * @throws {UnavailableError} names host, port, user and reason, and never the password or the token
 */
export async function connectNats(connection, {timeoutMs = openWithinMs, signal, files} = {}) {
  const {hostname, port, username, password, token, tls} = connection;
  const credentials = clientCredentials(connection, files);
  signal?.throwIfAborted();
  const {opening, abandon} = openGuarded({
    name: 'perf-battle',
    servers: joinAddress(hostname, port),
    ...(username !== null && {user: username, pass: password ?? ''}),
    ...(token !== null && {token}),
    // With `host`, the library checks a certificate against the address if the server was named by an address.
    ...(tls && {tls: /** @type {object} */ ({...credentials, host: hostname})}),
    timeout: timeoutMs,
    reconnect: false,
    // By default the library makes a stack trace for each request, in case the request fails.
    noAsyncTraces: true,
    ignoreClusterUpdates: true,
  });
  try {
    const nats = await bounded(opening, timeoutMs, signal);
    // Bytes after the server's first answer may have ended the connection already.
    if (nats.isClosed()) throw (await nats.closed()) ?? new Error('it closed the connection');
    return closingInTime(nats, abandon);
  } catch (error) {
    opening.catch(() => {});
    abandon();
    if (signal?.aborted) throw signal.reason;
    // The library's timeout may expire a moment before the time limit of `bounded`.
    const isSilent = /** @type {Error} */ (error)?.name === 'TimeoutError';
    throw unavailable(connection, isSilent ? new NoAnswerError(timeoutMs) : error);
  }
}

/**
 * Waits until the server has answered all earlier requests on a connection.
 * @param {Library} nats
 * @param {{server: NatsConnection, timeoutMs: number, since?: number, signal?: AbortSignal | undefined}} bounds since: the
 *   start of the time limit, by the clock of `performance`; default now
 * @throws {UnavailableError} when the server does not answer in time, or does not speak NATS
 */
export async function untilAnswered(nats, {server, timeoutMs, since = performance.now(), signal}) {
  try {
    // The library's flush never settles if the connection is lost in the meantime.
    const lost = nats
      .closed()
      .then((error) => Promise.reject(error ?? new Error('it closed the connection')));
    lost.catch(() => {});
    const left = Math.max(1, since + timeoutMs - performance.now());
    await bounded(Promise.race([nats.flush(), lost]), left, signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof NoAnswerError) throw unavailable(server, new NoAnswerError(timeoutMs));
    throw unavailable(server, (nats.isClosed() && (await nats.closed())) || error);
  }
}

/** @param {Library} nats @param {() => void} abandon ends its socket */
function closingInTime(nats, abandon) {
  const close = nats.close.bind(nats);
  nats.close = async () => {
    await bounded(close(), closeWithinMs).catch(() => {});
    abandon();
  };
  return nats;
}

/**
 * Opens the connection of a role, and watches it.
 * @param {NatsSettings} options
 * @returns {Promise<{
 *   nats: Library, closed: Promise<void>, lose: (what: string) => void, answered: () => Promise<void>, details: Record<string, unknown>,
 *   close: (cleanUp?: () => Promise<void>) => Promise<void>,
 * }>} closed: rejects when the connection is lost; lose: reports a loss that another part has noticed; answered: waits for
 *   the server within a time limit; close: runs the clean-up, if the connection still exists, then ends it
 * @throws {UnavailableError} when the server cannot be reached or refuses the credentials
 */
export async function openNats(options) {
  const {broker: connection} = options;
  const timeoutMs = options.greetingMs ?? openWithinMs;
  const since = performance.now();
  const {nats, server} = await connectFirst(connection, {timeoutMs, files: options.files});
  const answering = {...connection, ...server};
  // The library disables Nagle's algorithm and has no option for it.
  const {protocol} = /** @type {{protocol: {transport: {socket: Socket}}}} */ (/** @type {unknown} */ (nats));
  const {socket} = protocol.transport;
  socket.setNoDelay(options.noDelay);
  const life = new Life();
  nats.closed().then((error) => {
    if (error instanceof NatsProtocolError) return life.fail(unavailable(answering, error));
    const why = error?.message ?? 'it stopped, or this end fell behind by more than max_pending';
    life.lose(`The NATS connection was closed by the server: ${why}.`, error);
  }, life.fail);
  return {
    nats,
    closed: life.closed,
    lose: life.lose,
    answered: () => untilAnswered(nats, {server: answering, timeoutMs, since}),
    details: {
      maxPayloadBytes: nats.info?.max_payload ?? null,
      ...(socket instanceof TLSSocket && describeTls(socket)),
    },
    async close(cleanUp) {
      if (!nats.isClosed()) await cleanUp?.();
      life.isFinished = true;
      await nats.close();
    },
  };
}

/** @param {NatsConnection} connection @param {unknown} cause */
function unavailable(connection, cause) {
  const where = `The NATS server at ${joinAddress(connection.hostname, connection.port)}`;
  // The error of the system says more than the library's error.
  const reason = /** @type {Error} */ (/** @type {Error} */ (cause).cause ?? cause);
  return new UnavailableError(`${where} ${explain(connection, reason)}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause: reason,
  });
}

/** @param {NatsConnection} connection @param {NodeJS.ErrnoException} reason */
function explain({username, token, tls}, reason) {
  const who = username === null ? (token === null ? 'no user' : 'a token') : `user "${username}"`;
  const {code, message} = reason;
  const certificates = explainCertificates({kind: 'nats', who, code, message, isSecure: tls});
  if (certificates !== null) return certificates;
  if (tls && /does not support 'tls'/.test(message))
    return `does not offer TLS (${who}). Use nats://, without the files of certificates.`;
  if (/authorization|authentication/i.test(message)) {
    return `refused ${who}: ${message}. Check --nats-username and --nats-password, or --nats-token.`;
  }
  if (reason instanceof NoAnswerError) {
    return `does not answer (${who}): ${message}. Check that a NATS server runs there, the host and the port.`;
  }
  if (isForeign(reason)) {
    return `does not speak NATS there (${who}): ${message}. Check the host and the port.`;
  }
  return `cannot be reached (${who}): ${message}. Check that it runs, the host and the port.`;
}

/** Whether the peer is no NATS server. @param {Error} reason */
function isForeign(reason) {
  if (reason instanceof NatsProtocolError || reason instanceof SyntaxError) return true;
  return /unexpected response|provided an undefined error|closed the connection/.test(reason.message);
}

/**
 * The subjects and streams that both ends of the JetStream pair use. All servers share a stream of requests. Each client
 * that stores messages has its own stream, and all subscribers share one. Core NATS uses other subjects, because a stream
 * would also store its messages.
 * @param {{subject: string, pair?: string, jetstreamStorage?: 'memory' | 'file'}} options pair: the name of the pair in a
 *   battle, where other pairs may have the same subject; jetstreamStorage: for the stream of requests, default file
 */
export function streamsOf({subject, pair, jetstreamStorage = 'file'}) {
  const own = `${subject}.jetstream`;
  // The name of a stream must not have dots.
  const name = own.replaceAll('.', '_');
  return {
    requests: `${own}.${jetstreamStorage}.requests`,
    requestStream: `${name}_${jetstreamStorage}_requests`,
    /** Every server answers here, so that clients can find out whether a server is there. */
    presence: `${own}.${jetstreamStorage}.presence`,
    broadcast: [own, 'broadcast', pair].filter(Boolean).join('.'),
    broadcastStream: [name, 'broadcast', pair].filter(Boolean).join('_'),
    /** @param {string} clientId */
    store: (clientId) => `${own}.store.${clientId}`,
    /** @param {string} clientId */
    storeStream: (clientId) => `${name}_store_${clientId}`,
  };
}
