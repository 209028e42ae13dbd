import {TLSSocket} from 'node:tls';
import {
  maxFrameBytes,
  onChannel,
  openSocket,
  unavailable,
  wrongProtocol,
} from '../../brokers/rabbitmq/connection.js';
import {PerfBattleError} from '../../errors.js';
import {bounded} from '../../net/bounded.js';
import {describeTls} from '../../net/tls.js';
import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {Life} from '../life.js';
import {addressesOf} from './addresses.js';

/**
 * @import {RabbitmqConnection} from '../../brokers/rabbitmq/url.js'
 * @import {Amqp1Variant} from './index.js'
 * @import {Channel} from 'amqplib'
 * @import {Socket} from 'node:net'
 * @import * as Library from 'rhea'
 * @import {Connection, Delivery, EventContext, Receiver, Sender} from 'rhea'
 */

/** The library of AMQP 1.0, which is no dependency of perf-battle. */
export const rhea = /** @type {typeof Library} */ (
  requireOptional('rhea', {by: 'AMQP 1.0', install: 'amqp1'})
);

/**
 * @typedef {Amqp1Variant & {broker: RabbitmqConnection, noDelay: boolean, greetingMs?: number, files?: Readonly<Record<string, string>>}} Amqp1Settings
 */

const openWithinMs = 10_000;
/** A broker that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;
/** Sender settle modes of AMQP 1.0, section 2.8.2. */
const settleModes = /** @type {const} */ ({unsettled: 0, settled: 1});

/**
 * Opens a connection of AMQP 1.0 with one session within a bound. It does not reconnect: a trial that lost its connection has failed.
 * @param {Amqp1Settings} options
 * @returns {Promise<OpenedAmqp1>}
 * @throws {UnavailableError} which names host, port, user and reason, and never the password
 *
 * @typedef {object} OpenedAmqp1
 * @property {Socket} socket
 * @property {ReturnType<typeof addressesOf>} addresses of queues and exchanges
 * @property {Promise<void>} closed rejects when the connection, its session or a link is lost
 * @property {(error: Error) => void} fail reports a loss that was noticed elsewhere
 * @property {(target: string | undefined, how: {isSettled: boolean}) => Promise<Sender>} openSender undefined: each message names its own
 * @property {(source: string, onMessage: OnDelivery, how: {isSettled: boolean, credit: number}) => Promise<Receiver>} openReceiver
 * @property {(work: (channel: Channel) => Promise<any>) => Promise<any>} onChannel does something over a connection of AMQP 0-9-1, which ends after it
 * @property {Record<string, unknown>} details
 * @property {(cleanUp?: () => Promise<unknown>) => Promise<void>} close runs a clean-up first, both within a bound
 *
 * @typedef {(payload: Buffer, delivery: Delivery, properties: Library.Message) => void} OnDelivery
 */
export async function openAmqp1(options) {
  const {broker, noDelay, greetingMs = openWithinMs, files} = options;
  const socket = openSocket(broker, {port: broker.port, files}).setNoDelay(noDelay);
  const life = new Life('The AMQP 1.0 connection was lost');
  const connection = connectOver(socket, broker, life);
  const cut = () => {
    life.isFinished = true;
    socket.destroy();
    // The library clears its timers.
    /** @type {any} */ (connection).eof();
  };
  try {
    const opened = new Promise((resolve) => connection.once('connection_open', resolve));
    await bounded(Promise.race([opened, life.lost]), greetingMs);
  } catch (error) {
    cut();
    throw unopened(broker, /** @type {Error} */ (error));
  }
  const {closed} = life;
  const settled = (/** @type {Sender | Receiver} */ link, /** @type {string} */ event) =>
    bounded(
      Promise.race([new Promise((resolve) => link.once(event, () => resolve(link))), closed]),
      greetingMs,
    );
  return {
    socket,
    addresses: addressesOf(String(/** @type {any} */ (connection.properties)?.version)),
    closed,
    fail: (error) => life.fail(error),
    openSender: (target, {isSettled}) =>
      settled(
        connection.open_sender({
          // RabbitMQ 4 has an error for a link without a target, and none for one without an address.
          target: target ?? {},
          snd_settle_mode: isSettled ? settleModes.settled : settleModes.unsettled,
        }),
        'sender_open',
      ),
    openReceiver(source, onMessage, {isSettled, credit}) {
      const receiver = connection.open_receiver({
        source,
        snd_settle_mode: isSettled ? settleModes.settled : settleModes.unsettled,
        credit_window: credit,
        autoaccept: false,
      });
      receiver.on('message', (context) => deliver(context, {isSettled, onMessage, life}));
      return settled(receiver, 'receiver_open');
    },
    onChannel: (work) => onChannel(broker, {timeoutMs: greetingMs, files}, work),
    details: {
      frameMax: connection.max_frame_size,
      ...(socket instanceof TLSSocket && describeTls(socket)),
    },
    async close(cleanUp = async () => {}) {
      const {isLost} = life;
      life.isFinished = true;
      const ending = async () => {
        await cleanUp();
        if (isLost) return;
        const ended = new Promise((resolve) => connection.once('connection_close', resolve));
        connection.close();
        await ended;
      };
      // What was not deleted expires, or the battle deletes it. A run does not fail for that.
      await bounded(ending(), closeWithinMs).catch(() => {});
      cut();
    },
  };
}

/** @param {Socket} socket @param {RabbitmqConnection} broker @param {Life} life @returns {Connection} */
function connectOver(socket, {protocol, username, password, vhost}, life) {
  const options = {
    ...{username, password, hostname: `vhost:${vhost}`, max_frame_size: maxFrameBytes, reconnect: false},
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
  watch(connection, life);
  socket.on('close', () => life.fail(new Error('the broker closed it')));
  connection.connect();
  // After the library, which keeps what is not complete.
  socket.on('data', () => {
    const {frame_size: announced = 0} = /** @type {{frame_size?: number}} */ (
      /** @type {any} */ (connection)
    );
    if (announced <= maxFrameBytes) return;
    socket.destroy();
    life.fail(
      new Error(`the broker announced a frame of ${announced} bytes; at most ${maxFrameBytes} are allowed`),
    );
  });
  return connection;
}

/**
 * What ends a connection, a session or a link ends all of them: RabbitMQ 3 ends a session for what it refuses of a link.
 * @param {Connection} connection @param {Life} life
 */
function watch(connection, life) {
  const fail = (/** @type {any} */ error, /** @type {string} */ otherwise) =>
    life.fail(toError(error, otherwise));
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
function toError(error, otherwise) {
  if (error instanceof Error) return error;
  const {description, condition} = error ?? {};
  return Object.assign(new Error((description || condition || otherwise).replace(/\.+$/, '')), {condition});
}

/** @param {EventContext} context @param {{isSettled: boolean, onMessage: OnDelivery, life: Life}} how */
function deliver({message, delivery}, {isSettled, onMessage, life}) {
  const payload = /** @type {Library.Message} */ (message).body?.content;
  if (!Buffer.isBuffer(payload))
    return life.fail(new Error('the broker delivered a message that has no data'));
  if (payload.length > maxPayloadBytes)
    return life.fail(
      new Error(`a message of ${payload.length} bytes; at most ${maxPayloadBytes} are allowed`),
    );
  // The library keeps a delivery until it is settled at this end, too.
  if (isSettled) /** @type {any} */ (delivery).settled = true;
  onMessage(payload, /** @type {Delivery} */ (delivery), /** @type {Library.Message} */ (message));
}

/** @param {RabbitmqConnection} broker @param {Error & {condition?: string, code?: string}} error */
function unopened(broker, error) {
  if (error instanceof PerfBattleError && error.code !== 'PB_NO_GREETING') return error;
  const {condition = '', message} = error;
  if (/unauthorized-access/.test(condition))
    return unavailable(broker, new Error(`ACCESS_REFUSED with message "${message}"`));
  if (/protocol id|Invalid protocol header|Unsupported AMQP version/.test(message))
    return wrongProtocol(broker, 'AMQP 1.0', message, 'RabbitMQ 3 does with its plugin rabbitmq_amqp1_0');
  return unavailable(broker, error);
}
