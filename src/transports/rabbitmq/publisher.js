import {RunError} from '../../errors.js';
import {isConfirmed} from './confirmation.js';

/**
 * @import {ConnectSettings, PutOutcome} from '../transport.js'
 * @import {openChannel} from './channel.js'
 * @import {RabbitmqSettings} from './index.js'
 * @import {ConfirmChannel} from 'amqplib'
 */

/**
 * Publishes one-way messages with back-pressure: from the channel's buffer, and, with publisher confirms or
 * transactions, from a window of unconfirmed messages.
 */
export class Publisher {
  /**
   * @param {Awaited<ReturnType<typeof openChannel>>} opened
   * @param {{exchange: string, key: string, queue: string}} target queue: where it leads to
   * @param {Pick<RabbitmqSettings, 'deliveryMode' | 'confirms' | 'transactions'> & Pick<ConnectSettings, 'window'>} options
   */
  constructor({channel, closed}, target, options) {
    const {deliveryMode, window} = options;
    this.channel = channel;
    this.target = target;
    this.properties = {deliveryMode};
    this.maxUnconfirmed = isConfirmed(options) ? (window ?? 1) : Number.POSITIVE_INFINITY;
    this.unconfirmed = 0;
    this.confirmed = 0;
    this.isFull = false;
    /** Messages whose outcome is asked for. */
    this.accounted = 0;
    /** Of these, those that no queue took, by their ids. @type {Set<string> | null} */
    this.returned = null;
    /** @type {Error | null} */
    this.failure = null;
    /** @type {(() => void)[]} */
    this.watchers = [];
    channel.on('drain', () => {
      this.isFull = false;
      this.#wake();
    });
    closed.catch((error) => this.#fail(error));
    this.onConfirm = isConfirmed(options)
      ? (/** @type {Error | null} */ error) => this.#confirm(error)
      : undefined;
  }

  /** @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  publish(payload) {
    const {channel, target, properties, onConfirm} = this;
    if (onConfirm) {
      this.unconfirmed += 1;
      const confirming = /** @type {ConfirmChannel} */ (channel);
      this.isFull = !confirming.publish(target.exchange, target.key, payload, properties, onConfirm);
    } else {
      this.isFull = !channel.publish(target.exchange, target.key, payload, properties);
    }
    return this.#hasRoom;
  }

  /**
   * The same for a message whose outcome is asked for. RabbitMQ also confirms a message that no queue takes; it returns one that is mandatory before
   * (https://www.rabbitmq.com/docs/confirms#when-publishes-are-confirmed).
   * @param {Buffer} payload
   * @param {PutOutcome} outcome is called only with confirms or transactions
   */
  publishFor(payload, outcome) {
    if (!this.onConfirm) return this.publish(payload);
    const channel = /** @type {ConfirmChannel} */ (this.channel);
    const {target, properties} = this;
    const returned = this.#watchReturned();
    const messageId = String(this.accounted);
    this.accounted += 1;
    this.unconfirmed += 1;
    const onOutcome = (/** @type {Error | null} */ error) => {
      const isReturned = returned.delete(messageId);
      if (!error && !isReturned) outcome.confirmed();
      // Other errors are those of a channel that has closed: the broker may have the message.
      else if (!error || error.message === 'message nacked') outcome.refused();
      this.unconfirmed -= 1;
      if (!error) this.confirmed += 1;
      this.#wake();
    };
    const how = {...properties, messageId, mandatory: true};
    this.isFull = !channel.publish(target.exchange, target.key, payload, how, onOutcome);
    return this.#hasRoom;
  }

  #watchReturned() {
    if (this.returned) return this.returned;
    /** @type {Set<string>} */
    const returned = new Set();
    this.channel.on('return', ({properties: {messageId}}) => returned.add(messageId));
    this.returned = returned;
    return returned;
  }

  /** @throws what ended the connection, or a message that the broker refused */
  async drained() {
    while (!this.#hasRoom) await this.#change();
    if (this.failure) throw this.failure;
  }

  /**
   * Without confirms, the answer to a question that the broker is asked after all messages says that it has taken them in.
   * @returns {Promise<{confirmed: number | null}>}
   */
  async flushed() {
    while (this.unconfirmed > 0 && !this.failure) await this.#change();
    if (this.failure) throw this.failure;
    if (this.onConfirm) return {confirmed: this.confirmed};
    await this.channel.checkQueue(this.target.queue);
    return {confirmed: null};
  }

  get #hasRoom() {
    return this.failure !== null || !(this.isFull || this.unconfirmed >= this.maxUnconfirmed);
  }

  /** @param {Error | null} error */
  #confirm(error) {
    this.unconfirmed -= 1;
    // The channel reports by itself that it was closed.
    if (error?.message === 'channel closed') return;
    if (error)
      return this.#fail(
        new RunError('The broker refused a message (nack).', {code: 'PB_NACK', cause: error}),
      );
    this.confirmed += 1;
    this.#wake();
  }

  /** @param {Error} error */
  #fail(error) {
    this.failure ??= error;
    this.#wake();
  }

  #wake() {
    if (this.watchers.length === 0) return;
    for (const watcher of this.watchers.splice(0)) watcher();
  }

  /** @returns {Promise<void>} */
  #change() {
    return new Promise((resolve) => {
      this.watchers.push(resolve);
    });
  }
}
