import {setTimeout as sleep} from 'node:timers/promises';
import {bounded} from '../../net/bounded.js';
import {clientIdsOf} from '../client-id.js';
import {topicsOf} from '../mosquitto/topics.js';
import {limitMemory, planHosts} from './cluster.js';
import {closeBroker, connectBroker, greet, readAlarm} from './connection.js';
import {startHostNodes} from './host-nodes.js';
import {programsBeside} from './installation.js';
import {namesOver, topicOver, topologyOf} from './topology.js';

/**
 * @import {BrokerDriver, PairNames} from '../kind.js'
 * @import {RunningNode} from './cluster.js'
 * @import {RabbitmqConnection} from './url.js'
 * @import {Channel, ChannelModel} from 'amqplib'
 */

/** @type {BrokerDriver<RabbitmqConnection>} */
export const driver = {
  greet,
  readAlarm,
  removeLeft,
  beginsMessage,
  limitMemory: async ({nodes}, {isLow, host, signal}) =>
    await limitMemory(
      /** @type {RunningNode[]} */ (nodes),
      isLow,
      await programsBeside(host.program, host.setpriv),
      signal,
    ),
  processName: /^beam/,
  planHosts,
  startOnHost: startHostNodes,
};

/** A broker may need a moment to notice that a consumer was killed. */
const noticeAttempts = 10;
const noticeEveryMs = 200;

/**
 * Deletes the queues and exchanges of roles that were killed, lost their connection, or were blocked by the broker; other
 * roles delete their own. Another program may use names that the user chose: they are deleted only if nothing uses them.
 * @param {RabbitmqConnection} connection
 * @param {readonly PairNames[]} pairs pairs that have ended
 * @param {{timeoutMs: number, signal?: AbortSignal}} bounds for the whole function
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
async function removeOf(model, {names, clients, isUnique}) {
  const ids = clientIdsOf({names, clients});
  // The queues of MQTT sessions that have not ended (https://www.rabbitmq.com/docs/mqtt#implementation).
  const sessions = ids.map((id) => topicsOf({topic: topicOver(names)}).clientName('taker', id));
  await attempt(model, (channel) =>
    Promise.all(sessions.map((session) => channel.deleteQueue(`mqtt-subscription-${session}qos1`))),
  );
  // RabbitMQ does not count the readers of a stream, so a stream with a name that the user chose may be in use.
  const all = [
    {...topologyOf(names), countsConsumers: true},
    {...topologyOf(namesOver(names, 'amqp1')), countsConsumers: true},
    {...topologyOf(namesOver(names, 'stomp')), countsConsumers: true},
    {...topologyOf(namesOver(names, 'stream')), countsConsumers: false},
  ];
  for (const one of all) {
    const {requestQueue, requestExchange, replyExchange, broadcastExchange} = one;
    const {replyQueue, storeQueue, countsConsumers} = one;
    // The stream for all subscribers has the name of the exchange.
    const own = [broadcastExchange, ...ids.flatMap((id) => [replyQueue(id), storeQueue(id)])];
    // An external program may use the name of the option without a suffix.
    if (isUnique) own.push(requestQueue, names.queue);
    await attempt(model, (channel) => Promise.all(own.map((name) => channel.deleteQueue(name))));
    if (!isUnique && countsConsumers) await attempt(model, (channel) => deleteUnused(channel, requestQueue));
    for (const name of [requestExchange, replyExchange, broadcastExchange])
      await attempt(model, (channel) => channel.deleteExchange(name, {ifUnused: !isUnique}));
  }
}

/**
 * Deletes a queue that has no consumer. Quorum queues do not support `ifUnused`: RabbitMQ closes the connection.
 * @param {Channel} channel @param {string} queue
 */
async function deleteUnused(channel, queue) {
  for (let attempts = 0; attempts < noticeAttempts; attempts += 1) {
    const {consumerCount} = await channel.checkQueue(queue);
    if (consumerCount === 0) return await channel.deleteQueue(queue);
    await sleep(noticeEveryMs);
  }
}

/**
 * Opens a channel for each action, because RabbitMQ closes a channel when it refuses an operation.
 * @param {ChannelModel} model @param {(channel: Channel) => Promise<unknown>} action
 */
async function attempt(model, action) {
  const channel = await model.createChannel();
  channel.on('error', () => {});
  try {
    await action(channel);
    await channel.close();
  } catch {
    // The object is in use, or this user may not delete it.
  }
}

/**
 * AMQP 0-9-1: a frame has a type, a channel, the size of its content, the content and an end byte (section 2.3.5 of the
 * specification; the numbers are from https://www.rabbitmq.com/resources/specs/amqp0-9-1.extended.xml).
 */
const frameHeaderBytes = 7;
const frameEndBytes = 1;
const methodFrame = 1;
const basic = 60;
const publish = 40;
const deliver = 60;

/** AMQP 1.0, sections 2.3.1 and 2.7.5: a frame begins with its size, and its body with the descriptor of a performative. */
const transferDescriptor = Buffer.from([0x00, 0x53, 0x14]);

/** @param {Buffer} bytes from the start of an AMQP 1.0 frame */
function beginsTransfer(bytes) {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const sizeBytes = bytes.readUInt32BE(at);
    const body = at + 4 * bytes[at + 4];
    if (sizeBytes < 8) return false;
    if (bytes.subarray(body, body + transferDescriptor.length).equals(transferDescriptor)) return true;
    at += sizeBytes;
  }
  return false;
}

/** STOMP 1.2: a frame is a command in a line of its own, headers, a body and a NUL. Line feeds between frames are heartbeats. */
const lineFeed = 0x0a;
const stompCommand = /^[A-Z]+\n/;

/** @param {Buffer} bytes from the start of a STOMP frame */
function beginsStompMessage(bytes) {
  for (const frame of bytes.toString('latin1').split('\0')) {
    const [command = ''] = stompCommand.exec(frame.replace(/^\n+/, '')) ?? [];
    if (command === 'SEND\n' || command === 'MESSAGE\n') return true;
  }
  return false;
}

/**
 * Whether a message begins in these bytes, after whole frames of other methods, such as an acknowledgement.
 * @param {Buffer} bytes from the start of a frame
 */
export function beginsMessage(bytes) {
  // No AMQP 0-9-1 frame has the type 0, and the size of an AMQP 1.0 frame always begins with a zero byte.
  if (bytes[0] === 0) return beginsTransfer(bytes);
  // The types of AMQP 0-9-1 frames are less than a line feed.
  if (bytes[0] >= lineFeed) return beginsStompMessage(bytes);
  for (let at = 0; at + frameHeaderBytes + 4 <= bytes.length; ) {
    if (bytes[at] === methodFrame && bytes.readUInt16BE(at + frameHeaderBytes) === basic) {
      const method = bytes.readUInt16BE(at + frameHeaderBytes + 2);
      if (method === publish || method === deliver) return true;
    }
    at += frameHeaderBytes + bytes.readUInt32BE(at + 3) + frameEndBytes;
  }
  return false;
}
