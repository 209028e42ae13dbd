import {setTimeout as sleep} from 'node:timers/promises';
import {answerOf, whenCoordinated} from '../../brokers/kafka/guard.js';
import {RunError} from '../../errors.js';
import {tooLarge} from '../windowed-publisher.js';

/**
 * @import {OpenedKafka} from '../../brokers/kafka/connection.js'
 * @import {KafkaVariant} from './index.js'
 * @import {Admin} from '@platformatic/kafka'
 */

/** Messages expire after this time, in case a run is killed. The topic itself remains. */
const retentionMs = 3_600_000;
/** Kafka's default of about 1 MB is just above the largest default payloads of a battle. */
const maxMessageBytes = 64 * 1024 ** 2;
/** Kafka deletes only whole segments. By default, a segment has 1 GiB, and its file remains for another minute. */
const segmentBytes = 128 * 1024 ** 2;
const fileDeleteDelayMs = 1000;
/** An upper bound on the size of a message without its payload. */
const overheadBytes = 1024;
export const maxPayloadBytes = maxMessageBytes - overheadBytes;
const retryMs = 20;

/** @typedef {{name: string, id: string, leaders: number[]}} Topic leaders: the broker number of each partition's leader */

/**
 * Creates a topic unless it exists, and waits until each partition has a leader. The caller bounds the wait.
 * @param {Admin} admin @param {{name: string, partitions?: number}} topic @param {Pick<KafkaVariant, 'kafkaFlush'>} variant
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the topic
 */
export async function declareTopic(admin, {name, partitions = 1}, {kafkaFlush}) {
  /** A managed broker may refuse some of these settings. */
  const configs = {
    'max.message.bytes': maxMessageBytes,
    'retention.ms': retentionMs,
    'segment.bytes': segmentBytes,
    'file.delete.delay.ms': fileDeleteDelayMs,
    ...(kafkaFlush === 'always' && {'flush.messages': 1}),
  };
  /** Distinguishes the new topic from a deleted topic of the same name, which the broker may still report. @type {string | undefined} */
  let id;
  const create = async (/** @type {Record<string, unknown>} */ some) => {
    const asked = Object.entries(some).map(([key, value]) => ({name: key, value: String(value)}));
    const [created] = await admin.createTopics({topics: [name], partitions, configs: asked});
    return created.id;
  };
  try {
    id = await create(configs).catch((error) => {
      if (kafkaFlush === 'always' || !/^(POLICY_VIOLATION|INVALID_CONFIG)$/.test(answerOf(error) ?? ''))
        throw error;
      return create({});
    });
  } catch (error) {
    const answer = answerOf(error);
    // Without an answer of the broker, the error is no refusal.
    if (answer === null) throw error;
    if (answer !== 'TOPIC_ALREADY_EXISTS') {
      const advice = /AUTHORIZATION/.test(answer)
        ? 'The user needs the right to create it, or choose other names with --kafka-prefix.'
        : 'Choose another broker, or a private one: --broker private.';
      throw new RunError(`The Kafka broker refused the topic ${name}: ${answer}. ${advice}`, {
        code: 'PB_TOPOLOGY',
        cause: error,
      });
    }
  }
  return await topicWhenLed(admin, name, id);
}

/**
 * @param {Admin} admin @param {string} name
 * @param {string | undefined} id of a new topic
 * @returns {Promise<Topic>} once the broker knows the leader of each partition
 */
async function topicWhenLed(admin, name, id) {
  for (;;) {
    const found = await findTopic(admin, name);
    const isIt = found !== null && (id === undefined || found.id === id);
    if (isIt && found.leaders.every((leader) => leader >= 0) && (await isServed(admin, found))) return found;
    await sleep(retryMs);
  }
}

/** Returns whether the leaders are ready. A leader may be known before it is ready. @param {Admin} admin @param {Topic} topic */
async function isServed(admin, {name, leaders}) {
  try {
    await offsetsOf(admin, name, {timestamp: latest, partitions: leaders.length});
    return true;
  } catch (error) {
    if (answerOf(error) === null) throw error;
    return false;
  }
}

/** Timestamps of the Kafka protocol. */
export const earliest = -2n;
export const latest = -1n;

/**
 * @param {Admin} admin
 * @param {string} name of a topic
 * @param {{timestamp: bigint, partitions?: number}} which
 * @returns {Promise<bigint[]>} of each partition
 */
export async function offsetsOf(admin, name, {timestamp, partitions = 1}) {
  const asked = Array.from({length: partitions}, (_, partitionIndex) => ({partitionIndex, timestamp}));
  const [found] = await admin.listOffsets({topics: [{name, partitions: asked}]});
  return found.partitions.map(({offset}) => offset);
}

/** @param {Pick<Admin, 'metadata'>} admin @param {string} name @returns {Promise<Topic | null>} null: the topic does not exist yet */
export async function findTopic(admin, name) {
  try {
    const {topics} = await admin.metadata({topics: [name], forceUpdate: true});
    const found = topics.get(name);
    return found ? {name, id: found.id, leaders: found.partitions.map(({leader}) => leader)} : null;
  } catch (error) {
    const answer = answerOf(error);
    if (isUnknownTopic(error) || answer === 'LEADER_NOT_AVAILABLE') return null;
    throw error;
  }
}

/** Returns whether an error says that a topic is unknown. The library also has its own error for that. @param {unknown} error */
export function isUnknownTopic(error) {
  return (
    answerOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION' ||
    /^Unknown topic/.test(/** @type {Error} */ (error).message)
  );
}

/** Deletes the topics that exist. @param {Admin} admin @param {readonly string[]} names */
export async function deleteTopics(admin, names) {
  for (const name of names) await admin.deleteTopics({topics: [name]}).catch(() => {});
}

/** Deletes a group without members, if it exists. @param {Admin} admin @param {string} name */
export async function deleteGroup(admin, name) {
  await admin.deleteGroups({groups: [name]}).catch(() => {});
}

/** Waits for the coordinator of a group. @param {Admin} admin @param {string} group */
export async function untilCoordinated(admin, group) {
  await whenCoordinated(() => admin.findCoordinator({keyType: 0, keys: [group]}));
}

/** @param {Admin} admin @param {string} group @returns {Promise<number>} the number of consumers */
export async function countMembers(admin, group) {
  try {
    const groups = await whenCoordinated(() => admin.describeGroups({groups: [group]}));
    return groups.get(group)?.members.size ?? 0;
  } catch (error) {
    if (answerOf(error) === 'GROUP_ID_NOT_FOUND') return 0;
    throw error;
  }
}

/**
 * Returns why the broker refused to store a message. Null: the connection ended, and the broker may have the message.
 * @param {unknown} error
 */
export function refusalOf(error) {
  const answer = answerOf(error);
  if (isUnknownTopic(error))
    return new RunError('The Kafka broker has no topic for this message any more.', {
      code: 'PB_RETURNED',
      cause: error,
    });
  if (answer === null) return null;
  const advice = /TOO_LARGE/.test(answer)
    ? ' Raise message.max.bytes of the broker, or use a smaller --payload.'
    : '';
  return new RunError(`The Kafka broker refused a message: ${answer}.${advice}`, {
    code: 'PB_NACK',
    cause: error,
  });
}

/** @param {Buffer} payload @throws {RunError} PB_NACK */
export function refuseTooLarge(payload) {
  if (payload.length > maxPayloadBytes) throw tooLarge('kafka', payload, maxPayloadBytes);
}

/** How often read messages are deleted. Kafka would keep them for an hour. */
const purgeEveryMs = 1000;

/**
 * Periodically deletes the messages of a topic that were read. Otherwise, a run at full speed fills the disk.
 * @param {OpenedKafka} opened @param {string} topic
 * @param {() => Iterable<[partition: number, offset: bigint]>} read returns the position of each partition
 */
export function purgeRead({admin, beforeEnd}, topic, read) {
  /** @type {Map<number, bigint>} */
  const purged = new Map();
  let isBusy = false;
  const timer = setInterval(async () => {
    const partitions = [...read()]
      .filter(([partition, offset]) => offset > (purged.get(partition) ?? 0n))
      .map(([partition, offset]) => ({partition, offset}));
    if (isBusy || partitions.length === 0) return;
    isBusy = true;
    for (const {partition, offset} of partitions) purged.set(partition, offset);
    // After a failure, the topic grows. `closed` reports a lost connection.
    await admin.deleteRecords({topics: [{name: topic, partitions}]}).catch(() => {});
    isBusy = false;
  }, purgeEveryMs).unref();
  beforeEnd(async () => clearInterval(timer));
}

/** The header names of Spring's ReplyingKafkaTemplate, which other programs use, too. */
const correlationHeader = Buffer.from('kafka_correlationId');
const replyTopicHeader = Buffer.from('kafka_replyTopic');

/** @type {Map<Buffer, Buffer>} of a message that expects no reply */
export const noHeaders = new Map();

/** @param {string} number of the request @param {Buffer} replyTopic @returns {Map<Buffer, Buffer>} */
export function requestHeaders(number, replyTopic) {
  return new Map([
    [correlationHeader, Buffer.from(number, 'latin1')],
    [replyTopicHeader, replyTopic],
  ]);
}

/** @param {Buffer} number of the request @returns {Map<Buffer, Buffer>} */
export function replyHeaders(number) {
  return new Map([[correlationHeader, number]]);
}

/**
 * @param {Iterable<readonly [unknown, unknown]>} headers of a request
 * @returns {{number: Buffer, replyTopic: string} | null} null: no reply is expected
 */
export function readRequest(headers) {
  const number = headerIn(headers, correlationHeader);
  const replyTopic = headerIn(headers, replyTopicHeader);
  return number && replyTopic ? {number, replyTopic: replyTopic.toString('latin1')} : null;
}

/** @param {Iterable<readonly [unknown, unknown]>} headers of a reply @returns {string} the number of its request */
export function readReply(headers) {
  return headerIn(headers, correlationHeader)?.toString('latin1') ?? '';
}

/** @param {Iterable<readonly [unknown, unknown]>} headers @param {Buffer} wanted */
function headerIn(headers, wanted) {
  for (const [name, value] of headers) {
    if (wanted.equals(/** @type {Buffer} */ (name))) return /** @type {Buffer} */ (value);
  }
  return null;
}
