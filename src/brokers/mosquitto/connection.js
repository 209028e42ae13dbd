import {createConnection} from 'node:net';
import {connect as connectTls, TLSSocket} from 'node:tls';
import {RunError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded, NoAnswerError} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {describeTls, explainCertificates} from '../../net/tls.js';
import {clientCredentials} from '../../net/tls-files.js';
import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * @import {Socket} from 'node:net'
 * @import * as Library from 'mqtt'
 * @import {IConnackPacket, MqttClient as Client} from 'mqtt'
 * @import {OpenBounds, RoleSettings} from '../kind.js'
 * @import {MqttConnection} from './url.js'
 */

const {MqttClient} = /** @type {typeof Library} */ (requireOptional('mqtt', {by: 'MQTT', install: 'mqtt'}));

/**
 * @typedef {RoleSettings<MqttConnection> & {topic: string}} MqttSettings topic: the prefix of the topics
 *
 * @typedef {object} Session
 * @property {string} clientId
 * @property {boolean} [isClean] whether the broker discards an earlier session of this client; default true
 * @property {number} [expirySeconds] how long the broker keeps the session after its end; default 0
 * @property {(payload: Buffer) => void} [onMessage] also receives messages that arrive together with the broker's greeting
 * @property {boolean} [boundsDelivery] whether the client also bounds the messages that await an acknowledgement; default true
 * @property {boolean} [takesNothing] whether the client acknowledges no message, so that the broker keeps it; default false
 *
 * @typedef {OpenBounds & {optionNames?: OptionNames}} Bounds optionNames: the options that errors name; default: the options of this kind
 *
 * @typedef {{kind: string, prefix: string}} OptionNames kind: the kind of the broker; prefix: the option for the prefix of names
 */

/** @type {OptionNames} */
const ownOptions = {kind: 'mosquitto', prefix: '--mosquitto-topic'};
const openWithinMs = 10_000;
/** A broker that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;
const keepAliveSeconds = 60;
/** How many messages may await an acknowledgement. */
const receiveMaximum = 100;
/** An upper bound for the header, the topic and the properties of a message. */
const maxOverheadBytes = 4096;

/**
 * Opens an MQTT 5 connection within a time limit. The client does not reconnect: a trial that loses its connection fails.
 * @param {MqttConnection} connection
 * @param {Session} session
 * @param {Bounds} [bounds]
 * @returns {Promise<OpenedMqtt>}
 * @throws {UnavailableError} names host, port, user and reason, and never the password
 *
 * @typedef {object} OpenedMqtt
 * @property {Client} client
 * @property {Socket} socket
 * @property {IConnackPacket} greeting
 * @property {Promise<void>} closed rejects when the connection is lost
 * @property {Record<string, unknown>} details
 * @property {OptionNames} optionNames
 * @property {() => void} abandon ends the connection without a DISCONNECT to the broker
 * @property {(cleanUp?: () => Promise<void>) => Promise<void>} close runs the clean-up, then ends the session, unless the broker keeps it
 */
export async function openMqtt(connection, session, bounds = {}) {
  const {timeoutMs = openWithinMs, signal, noDelay = true, files, optionNames = ownOptions} = bounds;
  const {username, password} = connection;
  const {clientId, isClean = true, expirySeconds = 0, onMessage} = session;
  const {boundsDelivery = true, takesNothing = false} = session;
  signal?.throwIfAborted();
  const socket = openSocket(connection, files).setNoDelay(noDelay);
  const life = new Life('The MQTT connection was lost');
  socket.on('error', life.fail);
  socket.on('close', () => life.fail(new Error('the broker closed it')));
  const client = new MqttClient(() => /** @type {any} */ (socket), {
    protocolVersion: 5,
    clientId,
    clean: isClean,
    keepalive: keepAliveSeconds,
    reconnectPeriod: 0,
    // `bounded` applies the time limit.
    connectTimeout: 2 * timeoutMs,
    ...(username !== null && {username}),
    ...(password !== null && {password}),
    // The library reads nothing more until this function calls back.
    ...(takesNothing && {customHandleAcks: () => {}}),
    properties: {
      sessionExpiryInterval: expirySeconds,
      ...(boundsDelivery && {receiveMaximum}),
      maximumPacketSize: maxPayloadBytes + maxOverheadBytes,
    },
  });
  if (onMessage) client.on('message', (_, payload) => onMessage(payload));
  client.on('error', life.fail);
  client.on('disconnect', ({reasonCode}) =>
    life.fail(new Error(`it disconnected with reason ${reasonCode}`)),
  );
  const greeted = greetingOf(client, socket, life.fail);
  const abandon = () => {
    life.isFinished = true;
    client.end(true);
    socket.destroy();
  };
  try {
    const greeting = await bounded(Promise.race([greeted, life.lost]), timeoutMs, signal);
    return {
      client,
      socket,
      greeting,
      closed: life.closed,
      optionNames,
      details: socket instanceof TLSSocket ? describeTls(socket) : {},
      abandon,
      async close(cleanUp) {
        await cleanUp?.();
        life.isFinished = true;
        // The library waits for acknowledgements without a limit.
        if (!life.isLost) await bounded(client.endAsync(), closeWithinMs).catch(() => {});
        abandon();
      },
    };
  } catch (error) {
    abandon();
    if (signal?.aborted) throw signal.reason;
    throw unavailable(connection, /** @type {Error} */ (error), optionNames.kind);
  }
}

/** A greeting is short, but messages may arrive with it. The library buffers an incomplete packet of up to 256 MB. */
const maxGreetingBytes = 1024 * 1024;

/**
 * @param {Client} client @param {Socket} socket
 * @param {(error: Error) => void} fail is called when the broker sends too many bytes before its greeting
 * @returns {Promise<IConnackPacket>}
 */
function greetingOf(client, socket, fail) {
  let bytes = 0;
  const count = (/** @type {Buffer} */ part) => {
    bytes += part.length;
    if (bytes <= maxGreetingBytes) return;
    socket.off('data', count).destroy();
    fail(new Error(`it sent more than ${maxGreetingBytes} bytes before its greeting`));
  };
  socket.on('data', count);
  return new Promise((resolve) => {
    client.once('connect', (greeting) => {
      socket.off('data', count);
      resolve(greeting);
    });
  });
}

/** @param {MqttConnection} connection @param {Readonly<Record<string, string>> | undefined} files */
function openSocket(connection, files) {
  const {hostname: host, port, tls} = connection;
  if (!tls) return createConnection({host, port});
  return connectTls({host, port, ...clientCredentials(connection, files)});
}

/** @param {MqttSettings} options @param {Session} session @param {OptionNames} [optionNames] */
export async function openMqttOfRole(
  {broker, noDelay, greetingMs, files},
  session,
  optionNames = ownOptions,
) {
  return await openMqtt(broker, session, {
    noDelay,
    files,
    optionNames,
    ...(greetingMs !== undefined && {timeoutMs: greetingMs}),
  });
}

/**
 * @param {Pick<OpenedMqtt, 'client' | 'closed' | 'optionNames'>} opened @param {string | string[]} topics @param {0 | 1 | 2} qos
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the subscription
 */
export async function subscribe({client, closed, optionNames}, topics, qos) {
  const subscribing = client.subscribeAsync(topics, {qos}).catch((cause) => {
    throw new RunError(
      `The MQTT broker refused a subscription to ${[topics].flat().join(' and ')}: ${cause.message}. Allow it for this user, or choose another ${optionNames.prefix}.`,
      {code: 'PB_TOPOLOGY', cause},
    );
  });
  await Promise.race([closed, subscribing]);
}

/** @param {MqttConnection} connection @param {Error} cause @param {string} kind */
function unavailable(connection, cause, kind) {
  const where = `The MQTT broker at ${joinAddress(connection.hostname, connection.port)}`;
  return new UnavailableError(`${where} ${explain(connection, cause, kind)}`, {
    code: 'PB_BROKER_UNAVAILABLE',
    cause,
  });
}

/** The MQTT 5 reason codes for a refused user. */
const badCredentials = new Set([134, 135]);

/** @param {MqttConnection} connection @param {Error & {code?: string | number}} reason @param {string} kind the kind whose options the text names */
function explain({username, tls}, reason, kind) {
  const who = username === null ? 'no user' : `user "${username}"`;
  const {code, message} = reason;
  const certificates = explainCertificates({
    ...{kind, who, message, isSecure: tls},
    code: typeof code === 'string' ? code : undefined,
  });
  if (certificates !== null) return certificates;
  if (tls && /wrong version number|packet length too long/.test(message))
    return `does not offer TLS (${who}). Use a URL without TLS, and no files of certificates.`;
  if (typeof code === 'number' && badCredentials.has(code))
    return `refused ${who}: ${message}. Check --${kind}-username and --${kind}-password.`;
  if (typeof code === 'number') return `refused the connection (${who}): ${message}. It must speak MQTT 5.`;
  if (reason instanceof NoAnswerError)
    return `does not answer (${who}): ${message}. Check that an MQTT broker runs there, the host and the port.`;
  if (code === undefined)
    return `does not speak MQTT 5 there (${who}): ${message}. Check the host and the port.`;
  return `cannot be reached (${who}): ${message}. Check that it runs, the host and the port.`;
}
