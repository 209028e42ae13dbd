import {createConnection} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {bounded} from '../../net/bounded.js';
import {clientCredentials} from '../../net/tls-files.js';
import {requireOptional} from '../../packages/load.js';

/**
 * @import {ArtemisConnection} from './url.js'
 * @import {Socket} from 'node:net'
 * @import * as Library from 'rhea'
 * @import {Connection} from 'rhea'
 */

export const rhea = /** @type {typeof Library} */ (
  requireOptional('rhea', {by: 'AMQP 1.0', install: 'amqp1'})
);

/** The largest frame that either end sends. */
const maxFrameBytes = 128 * 1024;

/**
 * @typedef {ArtemisConnection & {vhost?: string}} AmqpAddress vhost: for a broker that has virtual hosts
 *
 * @typedef {object} Opening
 * @property {number} timeoutMs for name look-up, TCP, TLS and the broker's greeting together
 * @property {AbortSignal | undefined} [signal] aborts the attempt; the promise rejects with its reason
 * @property {boolean} [noDelay] TCP_NODELAY; default true
 * @property {Readonly<Record<string, string>> | undefined} [files] contents of certificates and keys, by path
 * @property {(error: Error) => void} onLost is called, possibly more than once, when the connection, its session or a link ends
 */

/**
 * Opens an AMQP 1.0 connection within a time limit. The client does not reconnect.
 * @param {AmqpAddress} broker @param {Opening} opening
 * @returns {Promise<{connection: Connection, socket: Socket, cut: () => void}>} cut: ends the connection at once, without a close frame
 * @throws {Error} the reason from the socket, the library or the broker
 */
export async function connectAmqp(broker, {timeoutMs, signal, noDelay = true, files, onLost}) {
  signal?.throwIfAborted();
  const socket = openSocket(broker, files).setNoDelay(noDelay);
  /** @type {(error: Error) => void} */
  let refuse = () => {};
  const connection = connectOver(socket, broker, (error) => {
    refuse(error);
    onLost(error);
  });
  const cut = () => {
    socket.destroy();
    // `eof` makes the library clear its timers.
    /** @type {any} */ (connection).eof();
  };
  const opened = new Promise((resolve, reject) => {
    connection.once('connection_open', resolve);
    refuse = reject;
  });
  try {
    await bounded(opened, timeoutMs, signal);
  } catch (error) {
    cut();
    throw error;
  }
  return {connection, socket, cut};
}

/** @param {AmqpAddress} broker @param {Readonly<Record<string, string>> | undefined} files */
function openSocket(broker, files) {
  const {protocol, hostname: host, port} = broker;
  if (protocol === 'amqp') return createConnection({host, port});
  return connectTls({host, port, ...clientCredentials(broker, files)});
}

/** @param {Socket} socket @param {AmqpAddress} broker @param {(error: Error) => void} fail */
function connectOver(socket, {protocol, hostname, username, password, vhost}, fail) {
  const options = {
    ...(username !== null && {username, password: password ?? ''}),
    hostname: vhost === undefined ? hostname : `vhost:${vhost}`,
    ...{max_frame_size: maxFrameBytes, reconnect: false},
    connection_details: () => ({
      connect: (
        /** @type {any} */ _port,
        /** @type {any} */ _host,
        /** @type {any} */ _options,
        /** @type {() => void} */ onConnected,
      ) => socket.once(protocol === 'amqp' ? 'connect' : 'secureConnect', onConnected),
    }),
  };
  const connection = rhea.create_container().create_connection(/** @type {any} */ (options));
  watch(connection, fail);
  socket.on('close', () => fail(new Error('the broker closed it')));
  connection.connect();
  // This listener runs after the library's listener, which buffers incomplete frames and sets frame_size.
  socket.on('data', () => {
    const {frame_size: announced = 0} = /** @type {{frame_size?: number}} */ (
      /** @type {any} */ (connection)
    );
    if (announced <= maxFrameBytes) return;
    socket.destroy();
    fail(
      new Error(`the broker announced a frame of ${announced} bytes; at most ${maxFrameBytes} are allowed`),
    );
  });
  return connection;
}

/**
 * Treats the end of a session or a link as a loss of the connection: RabbitMQ 3 ends a session when it refuses a link.
 * @param {Connection} connection @param {(error: Error) => void} lose
 */
function watch(connection, lose) {
  const fail = (/** @type {any} */ error, /** @type {string} */ otherwise) => lose(toError(error, otherwise));
  connection.on('connection_error', ({error}) => fail(error, 'the broker closed it'));
  connection.on('connection_close', ({error}) => fail(error, 'the broker closed it'));
  connection.on('disconnected', ({error}) => fail(error, 'the broker closed it'));
  connection.on('protocol_error', (error) => fail(error, 'it broke the protocol'));
  connection.on('error', (error) => fail(error, 'it failed'));
  for (const event of ['session_error', 'session_close'])
    connection.on(event, ({session}) => fail(session?.error, 'the broker ended the session'));
  for (const event of ['sender_error', 'sender_close'])
    connection.on(event, ({sender}) => fail(sender?.error, 'the broker ended a link'));
  for (const event of ['receiver_error', 'receiver_close'])
    connection.on(event, ({receiver}) => fail(receiver?.error, 'the broker ended a link'));
}

/** @param {{message?: string, description?: string, condition?: string, code?: string} | null | undefined} error @param {string} otherwise */
export function toError(error, otherwise) {
  if (error instanceof Error) return error;
  const {description, condition} = error ?? {};
  return Object.assign(new Error((description || condition || otherwise).replace(/\.+$/, '')), {condition});
}
