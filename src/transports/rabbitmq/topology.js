import {RunError} from '../../errors.js';

/**
 * @import {RabbitmqSettings} from './index.js'
 * @import {Channel} from 'amqplib'
 */

/**
 * The names that both ends of the RabbitMQ pair agree on, made from the two that a person can set: two direct exchanges and
 * two durable queues, one of each for requests and one for replies. A client's reply queue carries the client's own id and
 * goes by itself, so that a reply to an earlier client never reaches a later one.
 */

/** A reply queue that nobody consumes is deleted by the broker after this long. */
const replyQueueExpiresMs = 60_000;
/** A client's store is not consumed while it is filled, which may take long. */
const storeQueueExpiresMs = 3_600_000;

/** @param {Pick<RabbitmqSettings, 'exchange' | 'queue'>} settings */
export function topologyOf({exchange, queue}) {
  return {
    requestExchange: `${exchange}-requests`,
    replyExchange: `${exchange}-replies`,
    requestQueue: `${queue}-requests`,
    requestKey: 'request',
    /** @param {string} clientId */
    replyQueue: (clientId) => `${queue}-replies-${clientId}`,
    /** @param {string} clientId */
    storeQueue: (clientId) => `${queue}-store-${clientId}`,
  };
}

/**
 * Declares both exchanges and the request queue, which is the server's part; a client makes no more than its reply queue.
 * @param {Channel} channel
 * @param {RabbitmqSettings} settings
 * @throws {RunError} PB_TOPOLOGY when one is there already with other properties, or the user may not make it
 */
export async function declareTopology(channel, settings) {
  const names = topologyOf(settings);
  try {
    await channel.assertExchange(names.requestExchange, 'direct', {durable: true});
    await channel.assertExchange(names.replyExchange, 'direct', {durable: true});
    await channel.assertQueue(names.requestQueue, {durable: true, arguments: queueArguments(settings)});
    await channel.bindQueue(names.requestQueue, names.requestExchange, names.requestKey);
  } catch (error) {
    throw refusal(error);
  }
  return names;
}

/**
 * A classic queue goes with its consumer, however that ends; a quorum queue cannot do so, and expires.
 * @param {Channel} channel
 * @param {ReturnType<typeof topologyOf>} names
 * @param {string} clientId
 * @param {QueueSettings} settings
 * @returns {Promise<string>} the queue's name, which is its routing key too
 */
export async function declareReplyQueue(channel, names, clientId, settings) {
  const queue = names.replyQueue(clientId);
  await channel.assertQueue(queue, {
    durable: true,
    autoDelete: settings.queueType === 'classic',
    expires: replyQueueExpiresMs,
    arguments: queueArguments(settings),
  });
  await channel.bindQueue(queue, names.replyExchange, queue);
  return queue;
}

/**
 * A client's own durable queue, reached through the default exchange.
 * @param {Channel} channel
 * @param {RabbitmqSettings} settings
 * @param {string} clientId
 * @returns {Promise<string>} its name
 * @throws {RunError} PB_TOPOLOGY when the broker refuses it
 */
export async function declareStoreQueue(channel, settings, clientId) {
  const queue = topologyOf(settings).storeQueue(clientId);
  try {
    await channel.assertQueue(queue, {
      durable: true,
      expires: storeQueueExpiresMs,
      arguments: queueArguments(settings),
    });
  } catch (error) {
    throw refusal(error);
  }
  return queue;
}

/**
 * A quorum queue has a member on every node of the cluster; RabbitMQ alone would stop at three. Its leader is where RabbitMQ puts it, by
 * default on the node of the connection that declares it.
 * @param {QueueSettings} settings
 *
 * @typedef {Pick<RabbitmqSettings, 'queueType' | 'brokerNodes'>} QueueSettings
 */
function queueArguments({queueType, brokerNodes = 1}) {
  const isReplicated = queueType === 'quorum' && brokerNodes > 1;
  return {'x-queue-type': queueType, ...(isReplicated && {'x-quorum-initial-group-size': brokerNodes})};
}

/** @param {unknown} cause */
function refusal(cause) {
  const {message} = /** @type {Error} */ (cause);
  return new RunError(
    `The broker refused an exchange or a queue: ${message}. Delete it, or choose other names with --rabbitmq-exchange and --rabbitmq-queue.`,
    {code: 'PB_TOPOLOGY', cause},
  );
}
