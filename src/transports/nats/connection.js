import {connect} from '@nats-io/transport-node';
import {RunError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../address.js';
import {bounded, NoAnswerError} from '../bounded.js';
import {connectionFrom} from './url.js';

/**
 * @import {AddressSettings, NatsConnection} from './url.js'
 * @import {NatsConnection as Library} from '@nats-io/transport-node'
 * @import {Socket} from 'node:net'
 */

/**
 * @typedef {AddressSettings & {subject: string, broker?: NatsConnection | null, noDelay: boolean, greetingMs?: number}} NatsSettings
 *   subject: what the subjects begin with; broker: there in a battle, instead of the address that the user set
 */

/** A server that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;

/**
 * Opens a connection within a bound. It does not reconnect: a trial that lost its connection has failed.
 * @param {NatsConnection} connection
 * @param {object} [options]
 * @param {number | undefined} [options.timeoutMs] for all of it: name look-up, TCP and the greeting; default 10,000
 * @param {AbortSignal | undefined} [options.signal] gives up; the promise rejects with its reason
 * @returns {Promise<Library>} the caller closes it
 * @throws {UnavailableError} which names host, port, user and reason, and never the password or the token
 */
export async function connectNats(connection, {timeoutMs = 10_000, signal} = {}) {
  const {hostname, port, username, password, token} = connection;
  signal?.throwIfAborted();
  const opening = connect({
    name: 'perf-battle',
    servers: joinAddress(hostname, port),
    ...(username !== null && {user: username, pass: password ?? ''}),
    ...(token !== null && {token}),
    timeout: timeoutMs,
    reconnect: false,
    ignoreClusterUpdates: true,
  });
  try {
    return await bounded(opening, timeoutMs, signal);
  } catch (error) {
    opening.then((late) => late.close()).catch(() => {});
    if (signal?.aborted) throw signal.reason;
    // The library's own timeout may expire a moment before ours.
    const isSilent = /** @type {Error} */ (error)?.name === 'TimeoutError';
    throw unavailable(connection, isSilent ? new NoAnswerError(timeoutMs) : error);
  }
}

/**
 * Opens the connection of a role, and watches it.
 *
 * @param {NatsSettings} options
 * @returns {Promise<{
 *   nats: Library, closed: Promise<void>, lose: (what: string) => void, details: Record<string, unknown>, close: () => Promise<void>,
 * }>} closed rejects when the connection is lost; lose: reports a loss that was noticed elsewhere
 * @throws {UnavailableError} when the server cannot be reached or refuses the credentials
 */
export async function openNats(options) {
  const connection = options.broker ?? connectionFrom(options);
  const nats = await connectNats(connection, {timeoutMs: options.greetingMs});
  // The library switches Nagle's algorithm off and has no option for it.
  const {protocol} = /** @type {{protocol: {transport: {socket: Socket}}}} */ (/** @type {unknown} */ (nats));
  protocol.transport.socket.setNoDelay(options.noDelay);
  let isFinished = false;
  /** @type {(error: Error) => void} */
  let reject = () => {};
  /** @type {Promise<void>} */
  const lost = new Promise((_, onReject) => {
    reject = onReject;
  });
  const lose = (/** @type {string} */ what, /** @type {unknown} */ cause = undefined) => {
    if (!isFinished) reject(new RunError(what, {code: 'PB_CONNECTION_LOST', cause}));
  };
  const gone = nats.closed().then((error) => {
    const why = error?.message ?? 'it stopped, or this end fell behind by more than max_pending';
    lose(`The NATS connection was closed by the server: ${why}.`, error);
  });
  const closed = Promise.race([lost, gone]);
  closed.catch(() => {});
  return {
    nats,
    closed,
    lose,
    details: {maxPayloadBytes: nats.info?.max_payload ?? null},
    async close() {
      isFinished = true;
      await bounded(nats.close(), closeWithinMs).catch(() => {});
    },
  };
}

/** @param {NatsConnection} connection @param {unknown} cause */
function unavailable(connection, cause) {
  const where = `The NATS server at ${joinAddress(connection.hostname, connection.port)}`;
  // The error of the system says more than the library's own.
  const reason = /** @type {Error} */ (/** @type {Error} */ (cause).cause ?? cause);
  return new UnavailableError(`${where} ${explain(connection, reason)}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause: reason,
  });
}

/** @param {NatsConnection} connection @param {Error} reason */
function explain({username, token}, {message}) {
  const who = username === null ? (token === null ? 'no user' : 'a token') : `user "${username}"`;
  if (/authorization|authentication/i.test(message)) {
    return `refused ${who}: ${message}. Check --nats-username and --nats-password, or --nats-token.`;
  }
  if (/unexpected response|provided an undefined error/.test(message)) {
    return `does not speak NATS there (${who}). Check the host and the port.`;
  }
  return `cannot be reached (${who}): ${message}. Check that it runs, the host and the port.`;
}
