import {RunError} from '../../errors.js';

/** @import {Channel} from 'amqplib' */

/**
 * The RabbitMQ pair uses two direct exchanges and two durable queues: one of each for requests, and one for replies. The
 * name of a reply queue contains the client's id, so that a reply to an earlier client never reaches a later client.
 *
 * Nothing stays on a broker whose roles were killed. Queues expire. An exchange is deleted with its last binding, and the
 * request queue is bound to both exchanges.
 */

/** The broker deletes a request or reply queue after this time without a consumer. */
const queueExpiresMs = 60_000;
/** The time for a client's store is longer, because it has no consumer while the client fills it. */
const storeQueueExpiresMs = 3_600_000;

/**
 * @param {TopologySettings} settings
 *
 * @typedef {{exchange: string, queue: string, pair?: string}} TopologySettings exchange, queue: the prefixes of names;
 *   pair: the name of this pair of processes in a battle
 */
export function topologyOf({exchange, queue, pair}) {
  return {
    requestExchange: `${exchange}-requests`,
    replyExchange: `${exchange}-replies`,
    requestQueue: `${queue}-requests`,
    requestKey: 'request',
    /** Pairs that run at the same time have separate subscribers. */
    broadcastExchange: [exchange, 'broadcast', pair].filter(Boolean).join('-'),
    /** @param {string} clientId */
    replyQueue: (clientId) => `${queue}-replies-${clientId}`,
    /** @param {string} clientId */
    storeQueue: (clientId) => `${queue}-store-${clientId}`,
  };
}

/**
 * The prefixes for a pair over another protocol, which may run at the same time as an AMQP 0-9-1 pair with the same settings.
 * @template {TopologySettings} Names @param {Names} names @param {'amqp1' | 'stream' | 'stomp'} protocol
 * @returns {Names}
 */
export function namesOver(names, protocol) {
  return {...names, exchange: `${names.exchange}-${protocol}`, queue: `${names.queue}-${protocol}`};
}

/** The prefix of MQTT topics and client names: the prefix of queues without special characters. @param {{queue: string}} names */
export function topicOver({queue}) {
  return queue.replace(/[^\w-]/g, '_');
}

/** RabbitMQ deletes only whole segments of a stream; their default size is 500 MB. */
const segmentBytes = 64e6;
/** A stream of requests, replies or one-way messages keeps messages up to this size, even after they were read. */
const maxStreamBytes = 2e9;

/**
 * Declares a stream, which keeps its messages for an hour.
 * @param {Channel} channel @param {string} name
 * @param {{isBounded: boolean, brokerNodes?: number | undefined}} how isBounded: whether the stream drops its oldest messages above a limit
 * @throws {RunError} PB_TOPOLOGY
 */
export async function declareStream(channel, name, {isBounded, brokerNodes = 1}) {
  try {
    await channel.assertQueue(name, {
      durable: true,
      arguments: {
        'x-queue-type': 'stream',
        'x-max-age': '1h',
        'x-stream-max-segment-size-bytes': segmentBytes,
        ...(isBounded && {'x-max-length-bytes': maxStreamBytes}),
        ...(brokerNodes > 1 && {'x-initial-cluster-size': brokerNodes}),
      },
    });
  } catch (error) {
    throw refusal(error);
  }
}

/**
 * Declares the queue of a subscriber, and the exchange that sends each message to all subscribers. The exchange is deleted
 * with the last subscriber.
 * @param {Channel} channel @param {TopologySettings} settings
 * @param {{isExclusive?: boolean}} [how] isExclusive: whether only the connection of the channel uses the queue; default true
 * @returns {Promise<string>} the name of the queue
 * @throws {RunError} PB_TOPOLOGY
 */
export async function declareSubscription(channel, settings, {isExclusive = true} = {}) {
  const {broadcastExchange} = topologyOf(settings);
  const whose = isExclusive ? {exclusive: true} : {expires: queueExpiresMs};
  try {
    const {queue} = await channel.assertQueue('', {...whose, autoDelete: true});
    // An exchange that never had a binding is not deleted automatically, so the queue is declared first.
    await channel.assertExchange(broadcastExchange, 'fanout', {durable: true, autoDelete: true});
    await channel.bindQueue(queue, broadcastExchange, '');
    return queue;
  } catch (error) {
    throw refusal(error);
  }
}

/**
 * Declares both exchanges and the request queue. The server does this; a client declares only its reply queue.
 * @param {Channel} channel @param {TopologySettings & QueueSettings} settings
 * @throws {RunError} PB_TOPOLOGY when an object exists with other properties, or the user may not create it
 */
export async function declareTopology(channel, settings) {
  const names = topologyOf(settings);
  try {
    const exchange = {durable: true, autoDelete: true};
    await channel.assertExchange(names.requestExchange, 'direct', exchange);
    await channel.assertExchange(names.replyExchange, 'direct', exchange);
    const queue = {durable: true, expires: queueExpiresMs, arguments: queueArguments(settings)};
    await channel.assertQueue(names.requestQueue, queue);
    await channel.bindQueue(names.requestQueue, names.requestExchange, names.requestKey);
    // This binding keeps the exchange of replies when the first client ends. No reply has this key.
    await channel.bindQueue(names.requestQueue, names.replyExchange, names.requestQueue);
  } catch (error) {
    throw refusal(error);
  }
  return names;
}

/**
 * Deletes the objects of `declareTopology`, unless another server still uses them. A server stops consuming before it looks
 * for other consumers, so that the last of several servers that end together finds none.
 * @param {Channel} channel @param {ReturnType<typeof topologyOf>} names
 * @param {string} consumerTag the consumer tag of this server
 */
export async function deleteTopology(channel, names, consumerTag) {
  await channel.cancel(consumerTag);
  await deleteUnusedTopology(channel, names);
}

/** Does the same for a server that has stopped consuming. @param {Channel} channel @param {ReturnType<typeof topologyOf>} names */
export async function deleteUnusedTopology(channel, names) {
  const {consumerCount} = await channel.checkQueue(names.requestQueue);
  if (consumerCount > 0) return;
  await channel.deleteQueue(names.requestQueue);
  await channel.deleteExchange(names.requestExchange);
  await channel.deleteExchange(names.replyExchange);
}

/**
 * Declares a client's reply queue, after it has deleted an earlier queue: the broker may still deliver to a consumer of the
 * client's earlier connection. A classic queue is deleted with its consumer. A quorum queue does not support this; it expires.
 * @param {Channel} channel @param {ReturnType<typeof topologyOf>} names @param {string} clientId @param {QueueSettings} settings
 * @returns {Promise<string>} the name of the queue, which is also its routing key
 */
export async function declareReplyQueue(channel, names, clientId, settings) {
  const queue = names.replyQueue(clientId);
  await channel.deleteQueue(queue);
  await channel.assertQueue(queue, {
    durable: true,
    autoDelete: settings.queueType === 'classic',
    expires: queueExpiresMs,
    arguments: queueArguments(settings),
  });
  await channel.bindQueue(queue, names.replyExchange, queue);
  return queue;
}

/**
 * Declares a client's own durable queue, which messages reach through the default exchange.
 * @param {Channel} channel @param {TopologySettings & QueueSettings} settings
 * @param {{clientId: string, isThere: boolean}} client isThere: keeps an existing queue with its messages
 * @returns {Promise<string>} the name of the queue
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
 */
export async function declareStoreQueue(channel, settings, {clientId, isThere}) {
  const queue = topologyOf(settings).storeQueue(clientId);
  try {
    if (!isThere) await channel.deleteQueue(queue);
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

/** AMQP's reply code for a queue that does not exist. */
const notFound = 404;

/**
 * Rejects if no server consumes from the queue: a request would only wait for its timeout.
 * @param {Channel} channel @param {string} queue
 * @param {string} start the command that starts a server
 * @param {{countsConsumers?: boolean}} [how] countsConsumers: false for a stream, whose readers RabbitMQ does not count
 * @throws {RunError} PB_NO_SERVER
 */
export async function refuseWithoutServer(channel, queue, start, {countsConsumers = true} = {}) {
  const consumers = await channel.checkQueue(queue).then(
    ({consumerCount}) => (countsConsumers ? consumerCount : 1),
    (error) => {
      if (error.code === notFound) return 0;
      throw error;
    },
  );
  if (consumers > 0) return;
  throw new RunError(
    `No RabbitMQ server of perf-battle consumes from ${queue}. Start ${start} with the same settings.`,
    {code: 'PB_NO_SERVER'},
  );
}

/**
 * Removes the requests of an earlier run: requests that wait while the queue has no consumer.
 * @param {Channel} channel @param {string} queue
 */
export async function forgetEarlierRuns(channel, queue) {
  const {consumerCount, messageCount} = await channel.checkQueue(queue);
  if (consumerCount === 0 && messageCount > 0) await channel.purgeQueue(queue);
}

/**
 * A quorum queue has a member on every node of the cluster; RabbitMQ's default is three members. RabbitMQ puts its leader, by
 * default, on the node of the connection that declares the queue.
 * @param {QueueSettings} settings
 *
 * @typedef {{queueType: string, brokerNodes?: number}} QueueSettings brokerNodes: default 1
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
