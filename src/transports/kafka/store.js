import {clientIdOf} from '../../brokers/client-id.js';
import {topicsOf} from '../../brokers/kafka/connection.js';
import {answerOf, whenCoordinated} from '../../brokers/kafka/guard.js';
import {RunError} from '../../errors.js';
import {storeOf} from '../brokered.js';
import {endOfParts} from '../serialized-requests.js';
import {Progress, Taker} from '../taker.js';
import {Reader} from './reader.js';
import {PartitionPublisher, Sender} from './sender.js';
import {
  declareTopic,
  deleteGroup,
  deleteTopics,
  earliest,
  latest,
  offsetsOf,
  purgeRead,
  untilCoordinated,
} from './topic.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {KafkaSettings, OpenedKafka} from '../../brokers/kafka/connection.js'
 * @import {ConnectSettings, OnConsumed, Store} from '../transport.js'
 * @import {KafkaVariant} from './index.js'
 * @import {Topic} from './topic.js'
 */

/**
 * Opens a topic for this client alone. Its position is committed for a later client.
 * @param {OpenedKafka} opened
 * @param {KafkaSettings & KafkaVariant & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 */
export async function openStore(opened, options) {
  const {admin, closed, beforeEnd} = opened;
  const {window, kafkaAcks, findsQueue = false, keepsStore = false} = options;
  const name = topicsOf(options).store(clientIdOf(options));
  if (!findsQueue) await remove(opened, name);
  const topic = await declareTopic(admin, {name}, options);
  await untilCoordinated(admin, name);
  const isConfirmed = kafkaAcks !== '0';
  const publisher = new PartitionPublisher(
    new Sender(opened.producer(), options),
    {topic: name, partition: 0},
    {window, isConfirmed, closed},
  );
  const position = new Position(opened, topic, findsQueue ? await beginningOf(opened, topic) : 0n);
  const taker = takerOf(opened, topic, position.offset);
  closed.catch((error) => taker.fail(error));
  purgeRead(opened, name, () => [[0, position.committed]]);
  beforeEnd(() => (keepsStore ? position.commit() : remove(opened, name)));
  const store = storeOf(publisher, taker, {
    awaitsConfirms: isConfirmed,
    consume: (onMessage) => consume(opened, {topic, position}, onMessage),
  });
  /** @type {Store['take']} */
  const take = (count, onMessage, how) => {
    const counted = (/** @type {Buffer} */ payload) => {
      position.offset += 1n;
      onMessage(payload);
    };
    return store.take(count, counted, how);
  };
  return {store: {...store, take}};
}

/** @param {OpenedKafka} opened @param {string} name of the topic, and of the group that stores its position */
async function remove({admin}, name) {
  await deleteTopics(admin, [name]);
  await deleteGroup(admin, name);
}

/**
 * Returns the position where an earlier client stopped reading. If that position does not exist after a broker crash, all remaining
 * messages are read.
 * @param {OpenedKafka} opened @param {Topic} topic
 */
async function beginningOf({admin}, {name}) {
  const [[first], [last]] = await Promise.all(
    [earliest, latest].map((timestamp) => offsetsOf(admin, name, {timestamp})),
  );
  const committed = await committedOffset(name, admin);
  return committed !== null && committed >= first && committed <= last ? committed : first;
}

/** @param {string} name @param {OpenedKafka['admin']} admin */
async function committedOffset(name, admin) {
  try {
    const topics = [{name, partitionIndexes: [0]}];
    const groups = [{groupId: name, topics}];
    const [group] = await whenCoordinated(() => admin.listConsumerGroupOffsets({groups}));
    const offset = group?.topics[0]?.partitions[0]?.committedOffset ?? -1n;
    return offset < 0n ? null : offset;
  } catch (error) {
    if (answerOf(error) === 'GROUP_ID_NOT_FOUND') return null;
    throw error;
  }
}

/** The same interval as in server.js. */
const commitEveryMs = 1000;

/** The position in a topic, which is committed periodically, as Kafka's Java client does. */
class Position {
  /** @type {Promise<void> | null} */
  #committing = null;

  /** @param {OpenedKafka} opened @param {Topic} topic @param {bigint} offset of the next message */
  constructor({admin, beforeEnd}, {name}, offset) {
    this.admin = admin;
    this.name = name;
    this.offset = offset;
    this.committed = offset;
    // A commit fails only if the connection is lost, which `closed` reports.
    const timer = setInterval(() => void this.commit().catch(() => {}), commitEveryMs).unref();
    beforeEnd(async () => clearInterval(timer));
  }

  /** Commits the position, or joins the commit in progress. */
  commit() {
    this.#committing ??= this.#commitOffset().finally(() => {
      this.#committing = null;
    });
    return this.#committing;
  }

  /** Moves the position, and resolves when it is committed. @param {bigint} offset */
  async commitTo(offset) {
    this.offset = offset;
    while (this.committed < offset) await this.commit();
  }

  async #commitOffset() {
    const {name, offset} = this;
    if (offset === this.committed) return;
    await this.admin.alterConsumerGroupOffsets({
      groupId: name,
      topics: [{name, partitionOffsets: [{partition: 0, offset}]}],
    });
    this.committed = offset;
  }
}

/** @param {OpenedKafka} opened @param {Topic} topic @param {bigint} from */
function takerOf(opened, topic, from) {
  const reader = new Reader(opened.consumer({groupId: topic.name}), topic, {
    from,
    onRecord: ({value}) => taker.offer(value ?? endOfParts),
    onError: (error) => taker.fail(new RunError(endOf(topic, error), {cause: error})),
  });
  const taker = new Taker({begin: async () => reader.begin(), end: async () => reader.end()});
  return taker;
}

/**
 * An acknowledgement commits the position up to which all messages are processed.
 * @param {OpenedKafka} opened @param {{topic: Topic, position: Position}} from @param {OnConsumed} onMessage
 */
async function consume(opened, {topic, position}, onMessage) {
  const progress = new Progress(position.offset);
  let isEnded = false;
  const reader = new Reader(opened.consumer({groupId: topic.name}), topic, {
    from: position.offset,
    onRecord: ({value}, offset) => {
      if (isEnded) return;
      const done = progress.deliver(offset);
      onMessage(value ?? endOfParts, () => position.commitTo(done()));
    },
    onError: (error) => opened.lose(endOf(topic, error), error),
  });
  reader.begin();
  return {
    end: async () => {
      isEnded = true;
      reader.end();
    },
  };
}

/** @param {Topic} topic @param {Error} error */
function endOf({name}, {message}) {
  return `The topic ${name} delivers no more: ${message}.`;
}
