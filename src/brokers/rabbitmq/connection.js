import {randomUUID} from 'node:crypto';
import {createRequire} from 'node:module';
import {createConnection} from 'node:net';
import {dirname, join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {connect as connectTls} from 'node:tls';
import {connect} from 'amqplib';
import {PerfBattleError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded, NoAnswerError} from '../../net/bounded.js';
import {explainCertificates} from '../../net/tls.js';
import {clientCredentials} from '../../net/tls-files.js';
import {safeText} from '../../safe-text.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {Greeting} from '../kind.js'
 * @import {RabbitmqConnection} from './url.js'
 * @import {Channel, ChannelModel} from 'amqplib'
 * @import {EventEmitter} from 'node:events'
 * @import {Socket} from 'node:net'
 */

/** The largest frame that either end sends, which is the default of amqplib and the limit of RabbitMQ. */
const maxFrameBytes = 128 * 1024;
/** A broker that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;

/**
 * Opens an AMQP connection within a time limit. `firstErrorOf` returns its first error.
 * @param {RabbitmqConnection} connection @param {object} [options]
 * @param {number | undefined} [options.timeoutMs] for name look-up, TCP, TLS and AMQP handshakes together; default 10,000
 * @param {number} [options.heartbeatSeconds] default 10
 * @param {boolean} [options.noDelay] TCP_NODELAY; default true, unlike amqplib
 * @param {AbortSignal} [options.signal] aborts the attempt; the promise rejects with its reason
 * @param {Readonly<Record<string, string>> | undefined} [options.files] contents of certificates and keys, by path
 * @returns {Promise<ChannelModel>} the caller closes it by `closeBroker`
 * @throws {UnavailableError} names host, port, user and reason, and never the password
 * @throws {UsageError} when the file of a certificate or a key cannot be read
 */
export async function connectBroker(
  connection,
  {timeoutMs = 10_000, heartbeatSeconds = 10, noDelay = true, signal, files} = {},
) {
  const {protocol, hostname, port, username, password, vhost} = connection;
  const url = {
    protocol,
    hostname,
    port,
    username,
    password,
    vhost: encodeURIComponent(vhost),
    heartbeat: heartbeatSeconds,
    maxFrameSize: maxFrameBytes,
  };
  const credentials = protocol === 'amqps' ? clientCredentials(connection, files) : {};
  signal?.throwIfAborted();
  const socket = new AbortController();
  const options = {noDelay, timeout: timeoutMs, signal: socket.signal, ...credentials};
  const opening = connect(url, options).then(refuseBroken);
  try {
    return await bounded(opening, timeoutMs, signal);
  } catch (error) {
    abandon(opening, socket);
    if (signal?.aborted) throw signal.reason;
    // The timeout of amqplib may expire a moment before the time limit of `bounded`.
    const isSilent = /** @type {Error} */ (error).message === 'connect ETIMEDOUT';
    throw unavailable(connection, isSilent ? new NoAnswerError(timeoutMs) : error);
  }
}

/**
 * Waits for an answer of the broker on an open connection.
 * @template Answer @param {ChannelModel} model @param {Promise<Answer>} answer
 * @param {{broker: RabbitmqConnection, timeoutMs: number, since?: number, signal?: AbortSignal | undefined}} bounds since:
 *   the start of the time limit, by the clock of `performance`; default now
 * @throws {UnavailableError} when the broker does not answer in time, or does not speak AMQP
 * @throws {RunError} passes on the error of the question itself
 */
export async function answered(model, answer, {broker, timeoutMs, since = performance.now(), signal}) {
  try {
    return await bounded(answer, Math.max(1, since + timeoutMs - performance.now()), signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof PerfBattleError) throw error;
    const isSilent = error instanceof NoAnswerError;
    throw unavailable(broker, firstErrorOf(model) ?? (isSilent ? new NoAnswerError(timeoutMs) : error));
  }
}

/**
 * Closes a connection by AMQP's handshake within a time limit, and always destroys its socket.
 * @param {ChannelModel} model @param {number} [timeoutMs]
 */
export async function closeBroker(model, timeoutMs = closeWithinMs) {
  await bounded(model.close(), timeoutMs).catch(() => {});
  cutBroker(model);
}

/**
 * Runs work on a channel of a new connection.
 * @template Result @param {RabbitmqConnection} broker
 * @param {{timeoutMs: number, files?: Readonly<Record<string, string>> | undefined}} bounds for the connection, and again for the work
 * @param {(channel: Channel) => Promise<Result>} work
 * @throws {UnavailableError}
 */
export async function onChannel(broker, {timeoutMs, files}, work) {
  const model = await connectBroker(broker, {timeoutMs, files});
  try {
    const channel = await model.createChannel();
    channel.on('error', () => {});
    return await bounded(work(channel), timeoutMs);
  } finally {
    await closeBroker(model);
  }
}

/**
 * Opens a socket to a broker for a protocol other than AMQP 0-9-1, with TLS if the broker's URL has amqps.
 * @param {RabbitmqConnection} broker
 * @param {{port: number, files: Readonly<Record<string, string>> | undefined}} how files: contents of certificates and keys, by path
 * @returns {Socket}
 * @throws {UsageError} when the file of a certificate or a key cannot be read
 */
export function openSocket(broker, {port, files}) {
  const {protocol, hostname: host} = broker;
  if (protocol === 'amqp') return createConnection({host, port});
  return connectTls({host, port, ...clientCredentials(broker, files)});
}

/** Ends a connection and its heartbeat timers at once. @param {ChannelModel} model */
export function cutBroker({connection}) {
  /** @type {{stream: Socket, heartbeater: {clear(): void} | null}} */
  const {stream, heartbeater} = /** @type {any} */ (connection);
  heartbeater?.clear();
  stream.destroy();
}

/**
 * @param {RabbitmqConnection} broker
 * @param {Error} error an error of the connection
 * @returns {UnavailableError | null} null if the peer is an AMQP broker
 */
export function notAmqp(broker, error) {
  const failure = unavailable(broker, error);
  return failure.message.includes('does not speak AMQP') ? failure : null;
}

/** The versions that a broker reports when a client connects. @param {ChannelModel} model */
function readVersions(model) {
  const {product, version, platform} = model.connection.serverProperties;
  const erlang = /^Erlang\/OTP\s+(\S+)/.exec(String(platform ?? ''))?.[1] ?? null;
  const shown = (/** @type {unknown} */ text) => (text ? safeText(String(text)) : null);
  return {product: shown(product), rabbitmq: shown(version), erlang};
}

/**
 * Refuses a connection that already has an error: a broker may send invalid bytes together with the end of the greeting.
 * @param {ChannelModel} model
 */
function refuseBroken(model) {
  model.on('error', () => {});
  const error = firstErrorOf(model);
  if (error === null) return model;
  cutBroker(model);
  throw error;
}

/**
 * Ends an attempt to connect. A TLS socket does not support a signal; its own timeout ends it. A connection that still opens is cut.
 * @param {Promise<ChannelModel>} opening @param {AbortController} socket
 */
function abandon(opening, socket) {
  opening.then(cutBroker).catch(() => {});
  socket.abort();
}

/** @param {RabbitmqConnection} connection @param {unknown} cause */
export function unavailable(connection, cause) {
  const where = `The broker at ${joinAddress(connection.hostname, connection.port)}`;
  const who = `user "${connection.username}"`;
  return new UnavailableError(`${where} ${explain(connection, who, reasonOf(cause))}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause,
  });
}

/**
 * @param {RabbitmqConnection} connection
 * @param {string} protocol the protocol that the broker does not speak
 * @param {string} reason
 * @param {string} who a sentence about the programs that speak the protocol
 */
export function wrongProtocol({hostname, port}, protocol, reason, who) {
  return new UnavailableError(
    `The broker at ${joinAddress(hostname, port)} does not speak ${protocol} there: ${reason}. ${who}.`,
    {code: 'PB_BROKER_UNAVAILABLE'},
  );
}

/** @param {unknown} cause */
function reasonOf(cause) {
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  const {code = '', message = String(cause)} = errors[0] ?? {};
  return {code: String(code), message: String(message).replace(/\.+$/, '')};
}

/** @param {RabbitmqConnection} connection @param {string} who @param {{code: string, message: string}} reason */
function explain({protocol, vhost}, who, {code, message}) {
  if (/ACCESS[-_]REFUSED/.test(message)) {
    return `refused ${who}: ${brokerText(message)}. Check the user name and the password, and whether this user may connect from this host.`;
  }
  const certificates = explainCertificates({kind: 'rabbitmq', who, code, message});
  if (certificates !== null) return certificates;
  // RabbitMQ closes the connection if a virtual host does not exist, or the user may not use it. amqplib drops its reason.
  if (/Expected ConnectionOpenOk/.test(message)) {
    return `refused ${who} access to the virtual host "${vhost}": it does not exist, or the user has no permissions for it.`;
  }
  if (protocol === 'amqps' && /WRONG_VERSION_NUMBER|EPROTO/.test(code)) {
    return `does not speak TLS there (${who}). Use amqp://, or the port for TLS, usually 5671.`;
  }
  if (code === 'PB_NO_GREETING' || message === 'Heartbeat timeout') {
    return `does not answer (${who}): ${message}. Check that a broker is running there, and check the host and the port.`;
  }
  if (isOfTheSystem(code)) {
    return `cannot be reached (${who}): ${message}. Check that the broker is running, and check the host and the port.`;
  }
  if (/^\d+$/.test(code) || /Channel ended|Connection closed/.test(message)) {
    return `closed the connection (${who}): ${brokerText(message)}. Its log may have the reason.`;
  }
  return `does not speak AMQP there (${who}): ${message}. Check the host, the port, and amqp:// or amqps://.`;
}

/** Whether the connection failed below AMQP. @param {string} code */
function isOfTheSystem(code) {
  return /^E(?!RR_)|^ERR_(SSL|TLS)|^ABORT/.test(code);
}

/** The broker's text, without the words that amqplib adds. @param {string} message */
function brokerText(message) {
  return (/with message "(.*)"/s.exec(message)?.[1] ?? message).replace(/\.+$/, '');
}

/**
 * amqplib reads the bytes after `open-ok` before it returns the connection, when nobody can listen to errors yet. Such an
 * error would be thrown, and the promise of the connection would never settle. amqplib does not export its class of
 * connections, so this code loads the internal file, and adds a listener.
 */
const require = createRequire(import.meta.url);
/** @type {{Connection: {prototype: EventEmitter & {open(fields: unknown, onOpen: unknown): void}}}} */
const {Connection} = require(join(dirname(require.resolve('amqplib')), 'lib', 'connection.js'));

/** @type {WeakMap<object, Error>} */
const firstErrors = new WeakMap();

const {open} = Connection.prototype;
Connection.prototype.open = function (/** @type {unknown} */ fields, /** @type {unknown} */ onOpen) {
  this.on('error', (/** @type {Error} */ error) => {
    if (!firstErrors.has(this)) firstErrors.set(this, error);
  });
  open.call(this, fields, onOpen);
};

/**
 * The first error of a connection, possibly from before amqplib returned it. Later errors, such as a missing answer, say less.
 * @param {ChannelModel} model
 */
export function firstErrorOf({connection}) {
  return firstErrors.get(connection) ?? null;
}

/**
 * Connects, reads product and versions, and closes the connection. Also opens a channel, because another program may answer
 * the greeting and nothing else.
 * @param {RabbitmqConnection} connection
 * @param {{timeoutMs: number, signal: AbortSignal}} bounds for the whole function
 * @returns {Promise<Greeting>}
 * @throws {UnavailableError}
 */
export async function greet(connection, {timeoutMs, signal}) {
  const since = performance.now();
  const model = await connectBroker(connection, {timeoutMs, signal});
  try {
    await answered(model, model.createChannel(), {broker: connection, timeoutMs, since, signal});
  } catch (error) {
    cutBroker(model);
    throw error;
  }
  const {product, ...versions} = readVersions(model);
  await closeBroker(model);
  return {product, versions};
}

/** A broker with an alarm reports it after the first message of a connection, possibly after it has confirmed the message. */
const noticeMs = 200;
/** A broker with an alarm no longer reads from a publisher, not even the close of the connection. */
const closeMs = 200;

/**
 * Publishes a message that reaches no queue, and reports whether the broker blocks publishers because it has too little
 * memory or disk (https://www.rabbitmq.com/docs/alarms).
 * @param {RabbitmqConnection} connection @param {{timeoutMs: number, signal: AbortSignal}} bounds
 * @returns {Promise<string | null>} the broker's reason, such as "low on disk", or the error of the attempt; null: no alarm
 * @throws {UnavailableError}
 */
export async function readAlarm(connection, bounds) {
  const model = await connectBroker(connection, bounds);
  try {
    /** @type {Promise<string>} */
    const blocked = new Promise((resolve) => model.once('blocked', (reason) => resolve(String(reason))));
    return await bounded(Promise.race([blocked, untilTaken(model)]), bounds.timeoutMs, bounds.signal);
  } catch (error) {
    bounds.signal.throwIfAborted();
    return /** @type {Error} */ (error).message;
  } finally {
    await closeBroker(model, closeMs);
  }
}

/** @param {ChannelModel} model */
async function untilTaken(model) {
  const channel = await model.createConfirmChannel();
  channel.on('error', () => {});
  await new Promise((resolve, reject) =>
    channel.publish('', `perf-battle-${randomUUID()}`, Buffer.alloc(1), {}, (error) =>
      error ? reject(error) : resolve(null),
    ),
  );
  return await sleep(noticeMs, null);
}
