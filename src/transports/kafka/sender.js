import {ProduceAcks} from '../../brokers/kafka/connection.js';
import {WindowedPublisher} from '../windowed-publisher.js';
import {isUnknownTopic, noHeaders, refusalOf, refuseTooLarge} from './topic.js';

/**
 * @import {PutOutcome} from '../transport.js'
 * @import {KafkaVariant} from './index.js'
 * @import {Producer} from '@platformatic/kafka'
 */

/**
 * @typedef {object} Message
 * @property {string} topic
 * @property {number} partition
 * @property {Buffer} value
 * @property {Map<Buffer, Buffer>} headers
 *
 * @typedef {(error: Error | null) => void} Settle is called when the message was acknowledged, or with acks=0 when it was handed over
 */

/** The default of Kafka's Java client (max.in.flight.requests.per.connection) and of the library. */
const maxInFlight = 5;
/** The default of Kafka's Java client (max.request.size). */
const maxRequestBytes = 1024 ** 2;

const acksOf = {0: ProduceAcks.NO_RESPONSE, 1: ProduceAcks.LEADER, all: ProduceAcks.ALL};

/**
 * Sends messages in batches, as Kafka's Java client does. Messages that wait for one of five requests in flight are sent together, and so
 * are messages that arrive within `linger` ms. The library itself makes one request for each call. A message references its buffer until it
 * is sent, so the caller must not reuse the buffer.
 */
export class Sender {
  /** @type {Message[]} */
  #messages = [];
  /** @type {Settle[]} */
  #settles = [];
  #bytes = 0;
  #inFlight = 0;
  #isScheduled = false;
  /** Whether the waiting messages have lingered, and are sent as soon as fewer requests are in flight. */
  #isDue = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {Pick<Producer<Buffer, Buffer, Buffer, Buffer>, 'send'>} producer
   * @param {Pick<KafkaVariant, 'kafkaAcks' | 'kafkaLinger'>} variant
   */
  constructor(producer, {kafkaAcks, kafkaLinger}) {
    this.producer = producer;
    this.acks = acksOf[kafkaAcks];
    this.lingerMs = kafkaLinger;
  }

  /** @param {Message} message @param {Settle} settle */
  post(message, settle) {
    if (this.#messages.length > 0 && this.#bytes + message.value.length > maxRequestBytes) this.#schedule(0);
    this.#messages.push(message);
    this.#settles.push(settle);
    this.#bytes += message.value.length;
    this.#schedule(this.#bytes >= maxRequestBytes ? 0 : this.lingerMs);
  }

  /** @param {number} delayMs */
  #schedule(delayMs) {
    if (delayMs > 0) {
      this.#timer ??= setTimeout(this.#flush, delayMs);
    } else if (!this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(this.#flush);
    }
  }

  #flush = () => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isScheduled = false;
    while (this.#messages.length > 0 && this.#inFlight < maxInFlight) this.#takeAndSend();
    this.#isDue = this.#messages.length > 0;
  };

  #takeAndSend() {
    const count = countWithin(this.#messages, maxRequestBytes);
    const messages = this.#messages.splice(0, count);
    const settles = this.#settles.splice(0, count);
    for (const {value} of messages) this.#bytes -= value.length;
    this.#send(messages, settles);
  }

  /** @param {readonly Message[]} messages @param {readonly Settle[]} settles */
  #send(messages, settles) {
    this.#inFlight += 1;
    this.producer.send({messages: [...messages], acks: this.acks}, (error) => {
      this.#inFlight -= 1;
      const topics = new Set(messages.map(({topic}) => topic));
      // The library sends no message of a request if one of its topics is gone, such as the topic of a client that has ended.
      if (error && topics.size > 1 && isUnknownTopic(error)) {
        for (const topic of topics) {
          const isOf = (/** @type {unknown} */ _, /** @type {number} */ index) =>
            messages[index].topic === topic;
          this.#send(messages.filter(isOf), settles.filter(isOf));
        }
        return;
      }
      for (const settle of settles) settle(error);
      if (this.#isDue) this.#schedule(0);
    });
  }
}

/** @param {readonly Message[]} messages @param {number} maxBytes @returns {number} how many of the first messages fit; at least one */
function countWithin(messages, maxBytes) {
  let bytes = messages[0].value.length;
  let count = 1;
  while (count < messages.length) {
    bytes += messages[count].value.length;
    if (bytes > maxBytes) break;
    count += 1;
  }
  return count;
}

/** Maximum number of unacknowledged bytes, because a large window of large messages would fill the memory. */
const maxUnconfirmedBytes = 32 * 1024 ** 2;
/** With acks=0: maximum number of messages that were not handed over. */
const windowWithoutAcks = 1000;

/** Publishes one-way messages to one partition. A window bounds the unacknowledged messages. */
export class PartitionPublisher extends WindowedPublisher {
  /**
   * @param {Sender} sender @param {{topic: string, partition: number}} to
   * @param {{window: number | undefined, isConfirmed: boolean, closed: Promise<void>}} options
   */
  constructor(sender, {topic, partition}, {window = 1, isConfirmed, closed}) {
    super({window: isConfirmed ? window : windowWithoutAcks, closed});
    this.sender = sender;
    this.topic = topic;
    this.partition = partition;
    this.isConfirmed = isConfirmed;
    this.unconfirmedBytes = 0;
  }

  get hasRoom() {
    return super.hasRoom && (this.failure !== null || this.unconfirmedBytes < maxUnconfirmedBytes);
  }

  /** @param {Buffer} payload @param {PutOutcome} [outcome] @returns {boolean} false: wait for `drained` */
  publish(payload, outcome) {
    refuseTooLarge(payload);
    this.unconfirmed += 1;
    this.unconfirmedBytes += payload.length;
    const {topic, partition} = this;
    const value = Buffer.from(payload);
    this.sender.post({topic, partition, value, headers: noHeaders}, (error) => {
      this.unconfirmedBytes -= payload.length;
      const refusal = error && refusalOf(error);
      // `closed` reports a lost connection.
      if (error && refusal === null) this.settle(false);
      else this.settleWith(refusal, outcome);
    });
    return this.hasRoom;
  }

  /** @returns {Promise<{confirmed: number | null}>} */
  async flushed() {
    const {confirmed} = await super.flushed();
    return {confirmed: this.isConfirmed ? confirmed : null};
  }
}
