import {setTimeout as sleep} from 'node:timers/promises';
import {bounded} from '../../net/bounded.js';
import {closeBroker, connectBroker} from './connection.js';
import {clientIdOf, topologyOf} from './topology.js';

/**
 * @import {RabbitmqConnection} from './url.js'
 * @import {PairNames} from '../kind.js'
 * @import {Channel, ChannelModel} from 'amqplib'
 */

/** A broker may need a moment to notice that a consumer was killed. */
const noticeAttempts = 10;
const noticeEveryMs = 200;

/**
 * Deletes what pairs of roles have left: their own queues, and exchanges. A role deletes it itself, unless it was killed, lost its connection, or the
 * broker reads nothing from it. Names that the user chose may belong to another program: what has such a name is deleted if nothing uses it.
 * @param {RabbitmqConnection} connection
 * @param {readonly PairNames[]} pairs that have ended
 * @param {{timeoutMs: number, signal?: AbortSignal}} bounds for all of it
 * @throws when the broker is not available or does not answer
 */
export async function removeLeft(connection, pairs, bounds) {
  const model = await connectBroker(connection, bounds);
  try {
    await bounded(removeAll(model, pairs), bounds.timeoutMs, bounds.signal);
  } finally {
    await closeBroker(model);
  }
}

/** @param {ChannelModel} model @param {readonly PairNames[]} pairs */
async function removeAll(model, pairs) {
  await Promise.all(pairs.map((pair) => removeOf(model, pair)));
}

/** @param {ChannelModel} model @param {PairNames} pair */
async function removeOf(model, {names: {exchange, queue, pair}, clients, isUnique}) {
  const {requestQueue, requestExchange, replyExchange, replyQueue, storeQueue} = topologyOf({
    exchange,
    queue,
  });
  const ids = Array.from({length: clients}, (_, client) => clientIdOf({pair, client}));
  const own = ids.flatMap((id) => [replyQueue(id), storeQueue(id)]);
  // A program of another author may use the name of the queue as it is.
  if (isUnique) own.push(requestQueue, queue);
  await attempt(model, (channel) => Promise.all(own.map((name) => channel.deleteQueue(name))));
  if (!isUnique) await attempt(model, (channel) => deleteUnused(channel, requestQueue));
  for (const name of [requestExchange, replyExchange])
    await attempt(model, (channel) => channel.deleteExchange(name, {ifUnused: !isUnique}));
}

/**
 * Quorum queues do not support `ifUnused`: RabbitMQ closes the connection.
 * @param {Channel} channel
 * @param {string} queue
 */
async function deleteUnused(channel, queue) {
  for (let attempts = 0; attempts < noticeAttempts; attempts += 1) {
    const {consumerCount} = await channel.checkQueue(queue);
    if (consumerCount === 0) return await channel.deleteQueue(queue);
    await sleep(noticeEveryMs);
  }
}

/**
 * RabbitMQ closes a channel on which it refuses something.
 * @param {ChannelModel} model
 * @param {(channel: Channel) => Promise<unknown>} action
 */
async function attempt(model, action) {
  const channel = await model.createChannel();
  channel.on('error', () => {});
  try {
    await action(channel);
    await channel.close();
  } catch {
    // It is in use, or this user may not delete it.
  }
}
