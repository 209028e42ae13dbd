import {clientIdOf} from '../../brokers/client-id.js';
import {onChannel, unavailable, wrongProtocol} from '../../brokers/rabbitmq/connection.js';
import {
  declareReplyQueue,
  declareStoreQueue,
  declareSubscription,
  declareTopology,
  deleteUnusedTopology,
  forgetEarlierRuns,
  namesOver,
  refuseWithoutServer,
  topologyOf,
} from '../../brokers/rabbitmq/topology.js';
import {PerfBattleError} from '../../errors.js';

/**
 * @import {RabbitmqConnection} from '../../brokers/rabbitmq/url.js'
 * @import {TopologyModule} from './topology.js'
 * @import {Channel} from 'amqplib'
 */

const openWithinMs = 10_000;

/** An exchange that every virtual host has, and a routing key that no queue is bound to. */
const marks = {exchange: 'amq.direct', key: 'perf-battle-mark'};

/**
 * Declares exchanges and queues over a short connection of AMQP 0-9-1.
 * @type {TopologyModule['topologyOver']}
 */
export function topologyOver(connection, options) {
  const {broker, greetingMs: timeoutMs = openWithinMs, files, findsQueue = false} = options;
  const declared = {.../** @type {any} */ (options), ...namesOver(/** @type {any} */ (options), 'amqp1')};
  const names = topologyOf(declared);
  const addresses = addressesOf(String(/** @type {any} */ (connection.properties)?.version));
  const over = (/** @type {(channel: Channel) => Promise<any>} */ work) =>
    onChannel(/** @type {RabbitmqConnection} */ (broker), {timeoutMs, files}, work);
  const clientId = clientIdOf(options);
  return {
    async serve() {
      await over(async (channel) => {
        await declareTopology(channel, declared);
        if (!findsQueue) await forgetEarlierRuns(channel, names.requestQueue);
      });
      const {target, to} = addresses.byKey(names.replyExchange);
      return {requests: addresses.queue(names.requestQueue), replies: target, to};
    },
    endServing: () => over((channel) => deleteUnusedTopology(channel, names)),
    async call() {
      const replyTo = await over(async (channel) => {
        await refuseWithoutServer(channel, names.requestQueue, 'npx perf-battle serve amqp1');
        return await declareReplyQueue(channel, names, clientId, declared);
      });
      const requests = addresses.exchange(names.requestExchange, names.requestKey);
      return {requests, replies: addresses.queue(replyTo), replyTo};
    },
    endCalling: () => over((channel) => channel.deleteQueue(names.replyQueue(clientId))),
    async store() {
      const client = {clientId, isThere: findsQueue};
      const queue = addresses.queue(await over((channel) => declareStoreQueue(channel, declared, client)));
      return {into: queue, from: queue};
    },
    endStoring: () => over((channel) => channel.deleteQueue(names.storeQueue(clientId))),
    broadcast: addresses.exchange(names.broadcastExchange),
    subscribe: async () =>
      addresses.queue(await over((channel) => declareSubscription(channel, declared, {isExclusive: false}))),
    marks: addresses.exchange(marks.exchange, marks.key),
  };
}

/** @type {TopologyModule['unopened']} */
export function unopened(broker, error) {
  if (error instanceof PerfBattleError && error.code !== 'PB_NO_GREETING') return error;
  const {condition = '', code, message} = error;
  if (/unauthorized-access/.test(condition))
    return unavailable(broker, new Error(`ACCESS_REFUSED with message "${message}"`));
  // A listener that closes before it has read everything sends a reset, which discards its answer.
  if (code === 'ECONNRESET' || /protocol id|Invalid protocol header|Unsupported AMQP version/.test(message))
    return wrongProtocol(broker, 'AMQP 1.0', message, 'RabbitMQ 3 does with its plugin rabbitmq_amqp1_0');
  return unavailable(broker, error);
}

/**
 * From this major version on, RabbitMQ speaks AMQP 1.0 without a plugin, and uses addresses of version 2
 * (https://www.rabbitmq.com/docs/amqp#address-v2).
 */
const firstNative = 4;

/**
 * Returns the AMQP 1.0 addresses of queues and exchanges that were declared over AMQP 0-9-1. RabbitMQ 3 uses addresses of version 1
 * (https://github.com/rabbitmq/rabbitmq-server/blob/v3.13.x/deps/rabbitmq_amqp1_0/README.md).
 * @param {string} version of RabbitMQ, such as 3.10.8
 */
export function addressesOf(version) {
  const isNative = Number.parseInt(version, 10) >= firstNative;
  const exchanges = isNative ? '/exchanges' : '/exchange';
  const queues = isNative ? '/queues' : '/amq/queue';
  /** @param {string} name @param {string} [key] */
  const exchange = (name, key) =>
    [exchanges, encodeURIComponent(name), ...(key === undefined ? [] : [encodeURIComponent(key)])].join('/');
  return {
    queue: (/** @type {string} */ name) => `${queues}/${encodeURIComponent(name)}`,
    exchange,
    /**
     * Messages to one exchange, each with its own routing key. In version 1, the routing key is the subject of a message. In version 2, it
     * is part of the address, so the link has no target and each message names its address.
     * @param {string} name
     * @returns {{target: string | undefined, to: (key: string) => {subject: string} | {to: string}}}
     */
    byKey: (name) =>
      isNative
        ? {target: undefined, to: (key) => ({to: exchange(name, key)})}
        : {target: exchange(name), to: (key) => ({subject: key})},
  };
}
