import {holdMs, messagesAtOnce, streams} from './streams.js';

/**
 * @import {Redis} from 'ioredis'
 * @import {keysOf} from '../../brokers/redis/keys.js'
 * @import {Medium, OnMessage, Source} from './medium.js'
 */

/** The header of a message that expects no reply. */
export const oneWay = '';

/**
 * The header of a request. A reply has only the number.
 * @param {string} number
 * @param {string} replyTo the key of the replies of its client
 */
export function requestHeader(number, replyTo) {
  return `${number}:${replyTo}`;
}

/** @param {string} header of a request @returns {{number: string, replyTo: string}} */
export function readHeader(header) {
  const end = header.indexOf(':');
  return {number: header.slice(0, end), replyTo: header.slice(end + 1)};
}

/**
 * A message is two elements of a list, which are pushed together and popped together: its header and its payload. So the payload needs no copy.
 * A blocking pop takes what is there, up to a number of messages (BLMPOP, Redis 7).
 * @type {Medium}
 */
export const lists = {
  stores: true,
  post: (writer, key, header, payload) => writer.lpush(key, header, payload),
  isTaken: () => true,
  receiveShared: async (from, onMessage) => listen(from, onMessage),
  receiveOwn: async (from, onMessage) => listen(from, onMessage),
  put: (writer, key, payload) => writer.lpush(key, payload),
  openQueue: async () => {},
  take: pop,
  async hold(from, {again}) {
    const payloads = again ? [] : await pop(from, messagesAtOnce, holdMs);
    return payloads.map((payload) => ({payload, acknowledge: null}));
  },
};

/** @param {Source} from @param {OnMessage} onMessage */
function listen(from, onMessage) {
  receive(from, onMessage).catch((error) =>
    from.lose(`Redis lets nothing be read from ${from.key}: ${error.message}.`, error),
  );
}

/**
 * While the messages of one pop are handled, the next one waits at the server already.
 * @param {Source} from
 * @param {OnMessage} onMessage
 */
async function receive(from, onMessage) {
  let next = pop(from, 2 * messagesAtOnce);
  for (;;) {
    const elements = await next;
    next = pop(from, 2 * messagesAtOnce);
    // It may fail while the messages are handled.
    next.catch(() => {});
    for (let index = 0; index < elements.length; index += 2)
      onMessage(elements[index].toString('latin1'), elements[index + 1], nothing);
  }
}

function nothing() {}

/**
 * @param {Pick<Source, 'reader' | 'key'>} from @param {number} count of elements
 * @param {number} [waitMs] 0: until there is one, which is the default
 * @returns {Promise<Buffer[]>} the oldest first
 */
async function pop({reader, key}, count, waitMs = 0) {
  const answer = await reader.blmpopBuffer(waitMs / 1000, 1, key, 'RIGHT', 'COUNT', count);
  return answer === null ? [] : answer[1];
}

/**
 * A message is published to a channel whose name ends with the header, so that the payload needs no copy. A subscriber gets all channels of a key.
 * A message that has no subscriber is gone, and the answer says so.
 * @type {Medium}
 */
const channels = {
  stores: false,
  post: (writer, key, header, payload) => writer.publish(`${key}:${header}`, payload),
  isTaken: (subscribers) => Number(subscribers) > 0,
  receiveShared: subscribe,
  receiveOwn: subscribe,
  put: missing,
  openQueue: missing,
  take: missing,
  hold: missing,
};

/** @param {Source} from @param {OnMessage} onMessage */
async function subscribe({reader, key}, onMessage) {
  const headerAt = key.length + 1;
  reader.on('pmessageBuffer', (_, /** @type {Buffer} */ channel, /** @type {Buffer} */ payload) =>
    onMessage(channel.toString('latin1', headerAt), payload, nothing),
  );
  await reader.psubscribe(`${key}:*`);
}

/** @returns {never} */
function missing() {
  throw new TypeError('Channels store nothing.');
}

/** By the value of --redis-via. @satisfies {Record<string, Medium>} */
const media = {list: lists, stream: streams, pubsub: channels};

/** @param {{redisVia: keyof typeof media}} options @returns {Medium} */
export function mediumOf({redisVia}) {
  return media[redisVia];
}

/**
 * The servers that are there: each subscribes to a channel with its id, which ends with it.
 * @param {Redis} redis
 * @param {ReturnType<typeof keysOf>} keys
 * @returns {Promise<string[]>} their ids, in an order that all clients see
 */
export async function findServers(redis, {presence}) {
  const found = /** @type {string[]} */ (await redis.pubsub('CHANNELS', `${presence}*`));
  return found.map((channel) => channel.slice(presence.length)).sort();
}
