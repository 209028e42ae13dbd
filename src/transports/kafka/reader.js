/**
 * @import {Consumer, KafkaRecord} from '@platformatic/kafka'
 * @typedef {Awaited<ReturnType<Consumer['fetch']>>} FetchResponse
 * @import {Topic} from './topic.js'
 */

/**
 * How long the broker waits for a message before it sends an empty answer. This bound and the bound on bytes are defaults of the library. A
 * larger message comes alone.
 */
const maxWaitTimeMs = 5000;
const maxFetchBytes = 10 * 1024 ** 2;
/** Reads uncommitted messages, because these topics have no transactions. */
const readUncommitted = 0;

/**
 * Reads the only partition of a topic from its own position. Without a consumer group, nothing is assigned or rebalanced. While the
 * messages of an answer are handled, the broker already looks for the next messages.
 */
export class Reader {
  #isRunning = false;
  #isFetching = false;

  /**
   * @param {Pick<Consumer<any, any, any, any>, 'fetch'>} consumer @param {Topic} topic
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

  /** Stops reading. The answer to a pending request still arrives. */
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
        // A batch also contains the messages before the requested position.
        const offset = firstOffset + BigInt(record.offsetDelta);
        if (offset >= from) this.onRecord(record, offset);
      }
    }
  }
}
