import {openKafka, topicsOf} from '../../brokers/kafka/connection.js';
import {whenCoordinated} from '../../brokers/kafka/guard.js';
import {serveOver} from '../brokered.js';
import {replyInParts} from '../serialized-requests.js';
import {Changes} from '../windowed-publisher.js';
import {Sender} from './sender.js';
import {
  countMembers,
  declareTopic,
  deleteGroup,
  deleteTopics,
  purgeRead,
  readRequest,
  refusalOf,
  replyHeaders,
} from './topic.js';

/**
 * @import {KafkaSettings, OpenedKafka} from '../../brokers/kafka/connection.js'
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {KafkaVariant} from './index.js'
 */

/**
 * servers: their number in a battle; servers that are started by hand share one partition.
 * @typedef {ServeSettings & KafkaSettings & KafkaVariant & {pair?: string, servers?: number}} Settings
 */

/** After this time, the partitions of a killed server are assigned to other servers. */
const sessionTimeoutMs = 10_000;
/** How often a member asks whether others have joined the group. With the default of 3 s, the next server would wait that long. */
const heartbeatIntervalMs = 250;
/** Kafka's Java client commits every 5 s. Committed messages are deleted, and the disk must hold the other messages. */
const commitEveryMs = 1000;

/** @param {Settings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const opened = await openKafka(options);
  return await serveOver(opened, async () => {
    await receive(opened, options, onRequest);
    opened.ready();
  });
}

/** @param {OpenedKafka} opened @param {Settings} options @param {OnRequest} onRequest */
async function receive(opened, options, onRequest) {
  const {admin, lose, beforeEnd} = opened;
  const {findsQueue: resumes = false, pair, servers = 1} = options;
  const {requests, servers: group} = topicsOf(options);
  const isAlone = async () => (await countMembers(admin, group)) === 0;
  // If servers are started by hand, the topic of an earlier run may exist. The servers of a battle start together, so none
  // may delete the topic.
  if (pair === undefined && !resumes && (await isAlone())) await deleteTopics(admin, [requests]);
  await declareTopic(admin, {name: requests, partitions: servers}, options);
  const replies = new Replies(new Sender(opened.producer(), options), lose);
  const consumer = opened.consumer({
    groupId: group,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs,
  });
  const stream = await whenCoordinated(() =>
    consumer.consume({
      topics: [requests],
      mode: resumes ? 'committed' : 'latest',
      fallbackMode: 'earliest',
      autocommit: commitEveryMs,
      isolationLevel: 0,
    }),
  );
  opened.watch(stream);
  stream.on('error', (error) => lose(`The topic ${requests} delivers no more: ${error.message}.`, error));
  stream.on('data', ({headers, value}) => onRequest(value, replies.to(readRequest(headers))));
  await /** @type {Promise<void>} */ (new Promise((resolve) => stream.once('offsets', () => resolve())));
  purgeRead(opened, requests, function* committed() {
    for (const [key, offset] of stream.offsetsCommitted) yield [Number(key.split(':').at(-1)), offset];
  });
  beforeEnd(async () => {
    if (!resumes && (await isAlone())) {
      await deleteTopics(admin, [requests]);
      await deleteGroup(admin, group);
    }
  });
  beforeEnd(async () => await consumer.close(true));
}

/** Replies wait for room while more than this number of bytes is unsent. */
const maxUnsentBytes = 16 * 1024 ** 2;

/** @type {Reply} */
const toNobody = {write: () => true, drained: async () => {}, end: () => {}};

class Replies {
  #unsentBytes = 0;
  #changes = new Changes();

  /** @param {Sender} sender @param {OpenedKafka['lose']} lose */
  constructor(sender, lose) {
    this.sender = sender;
    this.lose = lose;
  }

  /** @param {{number: Buffer, replyTopic: string} | null} request null: no reply is expected @returns {Reply} */
  to(request) {
    if (request === null) return toNobody;
    return replyInParts({
      send: (payload) => {
        this.#post(request, payload);
        return this.#hasRoom;
      },
      drained: async () => {
        while (!this.#hasRoom) await this.#changes.next();
      },
    });
  }

  get #hasRoom() {
    return this.#unsentBytes < maxUnsentBytes;
  }

  /** @param {{number: Buffer, replyTopic: string}} request @param {Buffer} value */
  #post({number, replyTopic}, value) {
    this.#unsentBytes += value.length;
    this.sender.post({topic: replyTopic, partition: 0, value, headers: replyHeaders(number)}, (error) => {
      this.#unsentBytes -= value.length;
      this.#changes.announce();
      // PB_RETURNED: the client has ended, and its topic is deleted.
      if (error && refusalOf(error)?.code !== 'PB_RETURNED')
        this.lose(`A reply was not sent: ${error.message}.`, error);
    });
  }
}
