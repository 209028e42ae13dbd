import {randomUUID} from 'node:crypto';

/**
 * @import {keysOf} from '../../brokers/redis/connection.js'
 * @import {Medium, OnMessage, Source} from './medium.js'
 * @import {Redis} from 'ioredis'
 */

/** @typedef {[id: Buffer, fields: Buffer[]]} Entry */

/** Maximum number of messages in one answer. More messages would delay the first one, and large payloads take megabytes. */
export const messagesAtOnce = 16;
/** All servers form one consumer group, so that each entry goes to one server. */
const group = 'servers';
/** The name of this process in the group. */
const consumer = randomUUID();
/** The consumer of a queue has a fixed name, so that the next consumer receives the unacknowledged messages. */
const holder = 'holder';
/** How long the consumer of a queue waits for messages before it checks whether it must end. */
const holdMs = 100;
/** A replacing server claims messages that were not acknowledged within this time. */
const abandonedMs = 1000;

/**
 * Messages as stream entries with one field: the field's name is the header, and its value is the payload. A consumer group reads the
 * requests. It acknowledges and deletes processed entries, so a stream contains only messages on their way.
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
    const claim = async () => (await claimAbandoned(from)).forEach(hand);
    if (from.resumes) {
      await claim();
      // A server that replaces another one quickly finds its messages not abandoned yet.
      setTimeout(() => claim().catch(() => {}), abandonedMs).unref();
    }
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
    // The group exists already.
    if (!/^BUSYGROUP/.test(/** @type {Error} */ (error).message)) throw error;
  }
}

/**
 * Receives entries. The next read already waits at the server while entries are handled.
 * @param {() => Promise<Entry[]>} read @param {(entry: Entry) => void} hand
 * @returns {Promise<never>}
 */
async function receiveGroup(read, hand) {
  let next = read();
  for (;;) {
    const entries = await next;
    next = read();
    // The read may fail while the entries are handled.
    next.catch(() => {});
    entries.forEach(hand);
  }
}

/**
 * @param {Pick<Source, 'reader' | 'key'>} from @param {number} count
 * @param {{name?: string, blockMs?: number, after?: string}} [how] name: of the consumer; blockMs: 0: until an entry is available; after: `>`:
 *   entries that no consumer received; `0`: unacknowledged entries of this consumer
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
 * Reads a stream that only this role reads, and deletes the read entries except the last.
 * @param {Source} from @param {OnMessage} onMessage
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
    // If the deletion fails, the next read fails, too.
    writer.xtrim(key, 'MINID', last).catch(ignore);
  }
}

function ignore() {}

/** @param {unknown} answer for one stream; null: no entries */
function entriesOf(answer) {
  const [[, entries]] = /** @type {[[Buffer, Entry[]]]} */ (answer ?? [[null, []]]);
  return entries;
}

/** Acknowledges and deletes entries. Entries of one turn of the event loop are handled together. */
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
  // A command fails only if the connection is lost, which `closed` reports.
  writer.xack(key, group, ...ids).catch(ignore);
  writer.xdel(key, ...ids).catch(ignore);
}

/** The header of a message that expects no reply. */
export const oneWay = '';

/** The header of a request. A reply has only the number. @param {number} number @param {string} replyTo the key of the client's replies */
export function requestHeader(number, replyTo) {
  return `${number}:${replyTo}`;
}

/** @param {string} header of a request @returns {{number: string, replyTo: string}} */
export function readHeader(header) {
  const end = header.indexOf(':');
  return {number: header.slice(0, end), replyTo: header.slice(end + 1)};
}

/**
 * Messages as two elements of a list, which are pushed and popped together: the header and the payload. So the payload needs no copy. A
 * blocking pop takes the available elements, up to a number (BLMPOP, Redis 7).
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
 * Receives messages. The next pop already waits at the server while messages are handled.
 * @param {Source} from @param {OnMessage} onMessage
 */
async function receive(from, onMessage) {
  let next = pop(from, 2 * messagesAtOnce);
  for (;;) {
    const elements = await next;
    next = pop(from, 2 * messagesAtOnce);
    // The pop may fail while the messages are handled.
    next.catch(() => {});
    for (let index = 0; index < elements.length; index += 2)
      onMessage(elements[index].toString('latin1'), elements[index + 1], nothing);
  }
}

function nothing() {}

/**
 * @param {Pick<Source, 'reader' | 'key'>} from @param {number} count of elements
 * @param {number} [waitMs] default 0: until an element is available
 * @returns {Promise<Buffer[]>} the oldest first
 */
async function pop({reader, key}, count, waitMs = 0) {
  const answer = await reader.blmpopBuffer(waitMs / 1000, 1, key, 'RIGHT', 'COUNT', count);
  return answer === null ? [] : answer[1];
}

/**
 * Messages that are published to a channel whose name ends with the header, so that the payload needs no copy. A subscriber receives all
 * channels of a key. A message without a subscriber is lost, and the answer says so.
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

/** The media by value of --redis-via. @satisfies {Record<string, Medium>} */
const media = {list: lists, stream: streams, pubsub: channels};

/** @param {{redisVia: keyof typeof media}} options @returns {Medium} */
export function mediumOf({redisVia}) {
  return media[redisVia];
}

/**
 * Finds the running servers: each subscribes to a channel whose name ends with its id.
 * @param {Redis} redis @param {ReturnType<typeof keysOf>} keys
 * @returns {Promise<string[]>} the server ids, in the same order for all clients
 */
export async function findServers(redis, {presence}) {
  const found = /** @type {string[]} */ (await redis.pubsub('CHANNELS', `${presence}*`));
  return found.map((channel) => channel.slice(presence.length)).sort();
}
