/**
 * @import {Consumer, KafkaRecord} from '@platformatic/kafka'
 * @typedef {Awaited<ReturnType<Consumer['fetch']>>} FetchResponse
 * @import {Topic} from './topic.js'
 */

/**
 * The broker answers as soon as it has a message; otherwise so late. That is the default of the library. Both bounds on bytes are, too; a message that is
 * larger comes alone.
 */
const maxWaitTimeMs = 5000;
const maxFetchBytes = 10 * 1024 ** 2;
/** Kafka's own clients read what is in no transaction that may fail; here there is none. */
const readUncommitted = 0;

/**
 * Reads the only partition of a topic from a position that it keeps itself, without a group of consumers: nothing is assigned, and nothing rebalanced. While
 * the messages of one answer are handled, the broker looks for the next.
 */
export class Reader {
  #isRunning = false;
  #isFetching = false;

  /**
   * @param {Pick<Consumer<any, any, any, any>, 'fetch'>} consumer
   * @param {Topic} topic
   * @param {{from: bigint, onRecord: (record: KafkaRecord, offset: bigint) => void, onError: (error: Error) => void}} options from: the offset of the first message
   */
  constructor(consumer, topic, {from, onRecord, onError}) {
    this.consumer = consumer;
    this.topic = topic;
    this.offset = from;
    this.onRecord = onRecord;
    this.onError = onError;
  }

  begin() {
    this.#isRunning = true;
    if (!this.#isFetching) this.#fetch();
  }

  /** What the broker has been asked for still comes. */
  end() {
    this.#isRunning = false;
  }

  #fetch() {
    const {topic, offset} = this;
    this.#isFetching = true;
    const partition = {
      partition: 0,
      fetchOffset: offset,
      partitionMaxBytes: maxFetchBytes,
      currentLeaderEpoch: -1,
      lastFetchedEpoch: -1,
    };
    this.consumer.fetch(
      {
        node: topic.leaders[0],
        topics: [{topicId: topic.id, partitions: [partition]}],
        minBytes: 1,
        maxBytes: maxFetchBytes,
        maxWaitTime: maxWaitTimeMs,
        isolationLevel: readUncommitted,
      },
      (error, response) => {
        this.#isFetching = false;
        if (error || !response) return this.onError(error ?? new Error('the answer is empty'));
        this.#take(response);
      },
    );
  }

  /** @param {FetchResponse} response */
  #take({responses}) {
    const batches = responses.flatMap(({partitions}) => partitions.flatMap(({records}) => records ?? []));
    const from = this.offset;
    const last = batches.at(-1);
    if (last) this.offset = last.firstOffset + BigInt(last.lastOffsetDelta) + 1n;
    if (this.#isRunning) this.#fetch();
    for (const {firstOffset, records} of batches) {
      for (const record of records) {
        // A batch comes as a whole, also what is before the position in it.
        const offset = firstOffset + BigInt(record.offsetDelta);
        if (offset >= from) this.onRecord(record, offset);
      }
    }
  }
}
