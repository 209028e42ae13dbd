import {randomUUID} from 'node:crypto';
import {clientIdOf} from '../../brokers/client-id.js';
import {declareStoreQueue} from '../../brokers/rabbitmq/topology.js';
import {RunError} from '../../errors.js';
import {isConfirmed} from './confirmation.js';
import {Publisher} from './publisher.js';

/**
 * @import {ConnectSettings, Store} from '../transport.js'
 * @import {CleanUp, openChannel} from './channel.js'
 * @import {RabbitmqSettings} from './index.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Transactions} from './transactions.js'
 * @import {ConsumeMessage} from 'amqplib'
 */

/**
 * A durable queue of this client alone, into which it puts messages and from which it takes them.
 *
 * @param {Awaited<ReturnType<typeof openChannel>>} opened
 * @param {RabbitmqSettings & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, cleanUp: CleanUp | null}>}
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
 */
export async function openStore(opened, options) {
  const {channel, closed} = opened;
  const {findsQueue = false, keepsStore = false} = options;
  const queue = await declareStoreQueue(channel, options, {
    clientId: clientIdOf(options),
    isThere: findsQueue,
  });
  const publisher = new Publisher(opened, {exchange: '', key: queue, queue}, options);
  await channel.prefetch(options.prefetch);
  const taker = new Taker(opened, queue, options.acknowledgement === 'auto');
  closed.catch((error) => taker.fail(error));
  return {
    store: {
      put: (payload, outcome) =>
        outcome ? publisher.publishFor(payload, outcome) : publisher.publish(payload),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      awaitsConfirms: isConfirmed(options),
      take: (count, onMessage, how) => taker.take(count, onMessage, how),
    },
    cleanUp: keepsStore ? null : async (usable) => void (await usable.deleteQueue(queue)),
  };
}

/** Consumes a given number of messages, then pauses until the next request. */
class Taker {
  /**
   * @param {Pick<Awaited<ReturnType<typeof openChannel>>, 'channel' | 'transactions'>} opened
   * @param {string} queue
   * @param {boolean} noAck
   */
  constructor({channel, transactions}, queue, noAck) {
    this.channel = channel;
    this.transactions = transactions;
    this.queue = queue;
    this.noAck = noAck;
    this.remaining = 0;
    this.stays = false;
    /** @type {string | null} its tag while a consumer is there */
    this.consumer = null;
    /** What came to a consumer that stays before anybody asked for it. @type {Buffer[]} */
    this.early = [];
    /** @type {Error | null} */
    this.failure = null;
    /** @type {(payload: Buffer) => void} */
    this.onMessage = () => {};
    /** @type {() => void} */
    this.resolve = () => {};
    /** @type {(error: Error) => void} */
    this.reject = () => {};
  }

  /**
   * @param {number} count
   * @param {(payload: Buffer) => void} onMessage
   * @param {{stay?: boolean}} [how] stay: leave the consumer there for the next call
   * @returns {Promise<void>}
   */
  take(count, onMessage, {stay = false} = {}) {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.remaining = count;
      this.onMessage = onMessage;
      this.resolve = resolve;
      this.reject = reject;
      this.stays = stay;
      if (this.consumer === null) this.#consume().catch(reject);
      for (const payload of this.early.splice(0, count)) this.#hand(payload);
    });
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
    this.reject(error);
  }

  async #consume() {
    const {channel, queue, noAck} = this;
    const consumerTag = randomUUID();
    this.consumer = consumerTag;
    await channel.consume(
      queue,
      (message) => {
        if (!message)
          return this.fail(new RunError(`The queue ${queue} was deleted.`, {code: 'PB_CONNECTION_LOST'}));
        if (this.transactions && !noAck) return this.#commit(message, this.transactions);
        this.#offer(message.content);
        if (!noAck) channel.ack(message);
      },
      {noAck, consumerTag},
    );
  }

  /** A message is taken when that is committed. @param {ConsumeMessage} message @param {Transactions} transactions */
  #commit(message, transactions) {
    this.channel.ack(message);
    transactions.committed().then(
      () => this.#offer(message.content),
      (error) => this.fail(error),
    );
  }

  /** @param {Buffer} payload */
  #offer(payload) {
    if (this.remaining > 0) this.#hand(payload);
    else this.early.push(payload);
  }

  /** @param {Buffer} payload */
  #hand(payload) {
    this.remaining -= 1;
    this.onMessage(payload);
    if (this.remaining === 0) this.#finish(this.consumer ?? '');
  }

  /** @param {string} consumerTag */
  #finish(consumerTag) {
    if (this.stays) return this.resolve();
    this.consumer = null;
    this.channel.cancel(consumerTag).then(() => this.resolve(), this.reject);
  }
}
