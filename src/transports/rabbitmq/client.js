import {clientIdOf, declareReplyQueue, topologyOf} from '../../brokers/rabbitmq/topology.js';
import {RunError} from '../../errors.js';
import {promised} from '../promised.js';
import {Calls, directReplyTo} from './calls.js';
import {openChannel} from './channel.js';
import {isConfirmed} from './index.js';
import {Publisher} from './publisher.js';
import {openStore} from './store.js';

/**
 * @import {ChannelSettings} from './channel.js'
 * @import {ClientName} from '../../brokers/rabbitmq/topology.js'
 * @import {Client, ConnectSettings} from '../transport.js'
 * @import {Channel} from 'amqplib'
 */

/** @typedef {ConnectSettings & ChannelSettings & ClientName} Settings */

/** AMQP's reply code for a queue that does not exist. */
const notFound = 404;

/**
 * @param {Settings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const opened = await openChannel(options);
  try {
    const connecting = options.hasServer ? connectToServer(opened, options) : connectToStore(opened, options);
    return await opened.prepared(connecting);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof openChannel>>} OpenedChannel */

/**
 * @param {OpenedChannel} opened
 * @param {Settings} options
 * @returns {Promise<Client>}
 */
async function connectToServer(opened, options) {
  const {channel, closed, failed, details, close} = opened;
  const names = topologyOf(options);
  await refuseWithoutServer(channel, names.requestQueue);
  const replyTo =
    options.reply === 'direct'
      ? directReplyTo
      : await declareReplyQueue(channel, names, clientIdOf(options), options);
  const calls = new Calls(channel, names, replyTo, options);
  failed((error) => calls.fail(error));
  await calls.listen();
  const target = {exchange: names.requestExchange, key: names.requestKey, queue: names.requestQueue};
  const publisher = new Publisher(opened, target, options);
  /** @type {Client['ask']} */
  const ask = isConfirmed(options)
    ? (payload, waiting) => calls.sendConfirmed(payload, waiting)
    : (payload, waiting) => calls.send(payload, waiting);
  return {
    ask,
    request: promised(ask),
    send: (payload) => publisher.publish(payload),
    drained: () => publisher.drained(),
    flushed: () => publisher.flushed(),
    closed,
    details,
    close: () => close((usable) => calls.cleanUp(usable)),
  };
}

/**
 * @param {OpenedChannel} opened
 * @param {Settings} options
 * @returns {Promise<Client>}
 */
async function connectToStore(opened, options) {
  const {closed, details, close} = opened;
  const {store, cleanUp} = await openStore(opened, options);
  /** @type {Client['ask']} */
  const ask = (_, waiting) => waiting.reject(new TypeError('This client is connected without a server.'));
  return {ask, request: promised(ask), store, closed, details, close: () => close(cleanUp)};
}

/**
 * The server makes the exchanges and the request queue, and deletes them. Without them, or without a consumer, a request would
 * only wait for its timeout.
 * @param {Channel} channel
 * @param {string} queue
 */
async function refuseWithoutServer(channel, queue) {
  const consumers = await channel.checkQueue(queue).then(
    ({consumerCount}) => consumerCount,
    (error) => {
      if (error.code === notFound) return 0;
      throw error;
    },
  );
  if (consumers > 0) return;
  const hint = 'Start src/rabbitmq-server.js with the same settings.';
  throw new RunError(`No RabbitMQ server of perf-battle consumes from ${queue}. ${hint}`, {
    code: 'PB_NO_SERVER',
  });
}
