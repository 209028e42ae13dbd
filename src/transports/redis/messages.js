import {randomUUID} from 'node:crypto';

/**
 * @import {keysOf} from '../../brokers/redis/connection.js'
 * @import {Medium, OnMessage, Source} from './medium.js'
 * @import {Redis} from 'ioredis'
 */

/** @typedef {[id: Buffer, fields: Buffer[]]} Entry */

/** More of them in one answer would hold up the first, and large payloads take megabytes. */
export const messagesAtOnce = 16;
/** All servers are one group: each entry goes to one of them. */
const group = 'servers';
/** The name of this process in it. */
const consumer = randomUUID();
/** The consumer of a queue has a name that stays, so that the next one gets what it has not acknowledged. */
const holder = 'holder';
/** So long it waits for messages, at most: it may be asked to end. */
const holdMs = 100;
/** What a server was given so long ago, and has not acknowledged, goes to the one that takes its place. */
const abandonedMs = 1000;

/**
 * A message is an entry of a stream with one field: its name is the header, its value the payload. A group of consumers reads the requests, and
 * acknowledges and deletes what it has dealt with, so that a stream has only what is on its way.
 * @type {Medium}
 */
const streams = {
  stores: true,
  post: (writer, key, header, payload) => writer.xadd(key, '*', header, payload),
  isTaken: () => true,
  async receiveShared(from, onMessage) {
    await openGroup(from.writer, from.key);
    const done = new Done(from);
    const hand = (/** @type {Entry} */ [id, [header, payload]]) =>
      onMessage(header.toString('latin1'), payload, () => done.add(id));
    const read = () => readGroup(from, messagesAtOnce);
    const abandoned = from.resumes ? await claimAbandoned(from) : [];
    abandoned.forEach(hand);
    reporting(from, receiveGroup(read, hand));
  },
  receiveOwn: async (from, onMessage) => reporting(from, receiveOwn(from, onMessage)),
  put: (writer, key, payload) => writer.xadd(key, '*', '', payload),
  openQueue: openGroup,
  async take(from, count) {
    const entries = await readGroup(from, count);
    remove(
      from,
      entries.map(([id]) => id),
    );
    return entries.map(([, [, payload]]) => payload);
  },
  async hold(from, {again}) {
    const how = {name: holder, blockMs: holdMs, after: again ? '0' : '>'};
    const entries = await readGroup(from, again ? Number.MAX_SAFE_INTEGER : messagesAtOnce, how);
    const done = new Done(from);
    return entries.map(([id, [, payload]]) => ({payload, acknowledge: async () => done.add(id)}));
  },
};

/** @param {Source} from @param {Promise<never>} receiving */
function reporting({key, lose}, receiving) {
  receiving.catch((error) => lose(`Redis lets nothing be read from ${key}: ${error.message}.`, error));
}

/** @param {Redis} writer @param {string} key */
async function openGroup(writer, key) {
  try {
    await writer.xgroup('CREATE', key, group, '0', 'MKSTREAM');
  } catch (error) {
    // It is there already.
    if (!/^BUSYGROUP/.test(/** @type {Error} */ (error).message)) throw error;
  }
}

/**
 * While the entries of one answer are handled, the next question waits at the server already.
 * @param {() => Promise<Entry[]>} read
 * @param {(entry: Entry) => void} hand
 * @returns {Promise<never>}
 */
async function receiveGroup(read, hand) {
  let next = read();
  for (;;) {
    const entries = await next;
    next = read();
    // It may fail while the entries are handled.
    next.catch(() => {});
    entries.forEach(hand);
  }
}

/**
 * @param {Pick<Source, 'reader' | 'key'>} from @param {number} count
 * @param {{name?: string, blockMs?: number, after?: string}} [how] name: of the consumer; blockMs: 0: until there is an entry; after: > : what none was given; 0: what
 *   this one was given, and has not acknowledged
 * @returns {Promise<Entry[]>}
 */
async function readGroup({reader, key}, count, {name = consumer, blockMs = 0, after = '>'} = {}) {
  const how = /** @type {const} */ (['GROUP', group, name, 'COUNT', count, 'BLOCK', blockMs]);
  return entriesOf(await reader.xreadgroupBuffer(...how, 'STREAMS', key, after));
}

/** @param {Source} from */
async function claimAbandoned({writer, key}) {
  /** @type {Entry[]} */
  const claimed = [];
  let cursor = '0-0';
  do {
    const answer = await writer.callBuffer(
      'XAUTOCLAIM',
      key,
      group,
      consumer,
      abandonedMs,
      cursor,
      'COUNT',
      1000,
    );
    const [next, entries] = /** @type {[Buffer, Entry[]]} */ (answer);
    claimed.push(...entries);
    cursor = next.toString('latin1');
  } while (cursor !== '0-0');
  return claimed;
}

/**
 * Reads a stream that only this role reads. What it has read is deleted, except for the last entry.
 * @param {Source} from
 * @param {OnMessage} onMessage
 * @returns {Promise<never>}
 */
async function receiveOwn({reader, writer, key}, onMessage) {
  /** @type {Buffer | string} */
  let last = '0';
  for (;;) {
    const answer = await reader.xreadBuffer('COUNT', messagesAtOnce, 'BLOCK', 0, 'STREAMS', key, last);
    const entries = entriesOf(answer);
    for (const [id, [header, payload]] of entries) {
      last = id;
      onMessage(header.toString('latin1'), payload, ignore);
    }
    // If that fails, so does what follows.
    writer.xtrim(key, 'MINID', last).catch(ignore);
  }
}

function ignore() {}

/** @param {unknown} answer of one stream; null: it has nothing */
function entriesOf(answer) {
  const [[, entries]] = /** @type {[[Buffer, Entry[]]]} */ (answer ?? [[null, []]]);
  return entries;
}

/** Acknowledges and deletes entries, those of one turn of the event loop together. */
class Done {
  /** @type {Buffer[]} */
  #ids = [];

  /** @param {Pick<Source, 'writer' | 'key'>} from */
  constructor(from) {
    this.from = from;
  }

  /** @param {Buffer} id */
  add(id) {
    if (this.#ids.length === 0) queueMicrotask(this.#flush);
    this.#ids.push(id);
  }

  #flush = () => remove(this.from, this.#ids.splice(0));
}

/** @param {Pick<Source, 'writer' | 'key'>} from @param {readonly Buffer[]} ids */
function remove({writer, key}, ids) {
  // If that fails, the connection is lost, which is reported by itself.
  writer.xack(key, group, ...ids).catch(ignore);
  writer.xdel(key, ...ids).catch(ignore);
}

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
