import {RunError} from '../../errors.js';
import {WindowedPublisher} from '../windowed-publisher.js';
import {isConfirmed} from './confirmation.js';

/**
 * @import {ConnectSettings, PutOutcome} from '../transport.js'
 * @import {openChannel} from './channel.js'
 * @import {RabbitmqSettings} from './index.js'
 * @import {ConfirmChannel} from 'amqplib'
 */

/**
 * Publishes one-way messages with back-pressure. The channel's buffer bounds them. With publisher confirms or transactions, a window also
 * bounds the unconfirmed messages.
 */
export class Publisher extends WindowedPublisher {
  /**
   * @param {Awaited<ReturnType<typeof openChannel>>} opened
   * @param {{exchange: string, key: string, queue: string}} target queue: the queue that receives the messages
   * @param {Pick<RabbitmqSettings, 'deliveryMode' | 'confirms' | 'transactions'> & Pick<ConnectSettings, 'window'>} options
   */
  constructor({channel, closed}, target, options) {
    const {deliveryMode, window = 1} = options;
    super({window: isConfirmed(options) ? window : Number.POSITIVE_INFINITY, closed});
    this.channel = channel;
    this.target = target;
    this.properties = {deliveryMode};
    this.isFull = false;
    /** How many messages have an outcome callback. */
    this.accounted = 0;
    /** The ids of messages that no queue accepted. @type {Set<string> | null} */
    this.returned = null;
    channel.on('drain', () => {
      this.isFull = false;
      this.changes.announce();
    });
    this.onConfirm = isConfirmed(options)
      ? (/** @type {Error | null} */ error) => this.#confirm(error)
      : undefined;
  }

  /**
   * @param {Buffer} payload
   * @param {PutOutcome} [outcome] is called only with confirms or transactions
   * @returns {boolean} false: wait for `drained`
   */
  publish(payload, outcome) {
    const {channel, target, properties, onConfirm} = this;
    if (onConfirm && outcome) return this.#publishFor(payload, outcome);
    if (onConfirm) {
      this.unconfirmed += 1;
      const confirming = /** @type {ConfirmChannel} */ (channel);
      this.isFull = !confirming.publish(target.exchange, target.key, payload, properties, onConfirm);
    } else {
      this.isFull = !channel.publish(target.exchange, target.key, payload, properties);
    }
    return this.hasRoom;
  }

  /**
   * Publishes a message with an outcome callback. RabbitMQ also confirms a message that no queue accepts, but first returns the message if
   * it is mandatory (https://www.rabbitmq.com/docs/confirms#when-publishes-are-confirmed).
   * @param {Buffer} payload @param {PutOutcome} outcome
   */
  #publishFor(payload, outcome) {
    const channel = /** @type {ConfirmChannel} */ (this.channel);
    const {target, properties} = this;
    const returned = this.#watchReturned();
    const messageId = String(this.accounted);
    this.accounted += 1;
    this.unconfirmed += 1;
    const onOutcome = (/** @type {Error | null} */ error) => {
      const isReturned = returned.delete(messageId);
      if (!error && !isReturned) outcome.confirmed();
      // Other errors mean that the channel was closed, and the broker may have the message.
      else if (!error || error.message === 'message nacked') outcome.refused();
      this.settle(!error);
    };
    const how = {...properties, messageId, mandatory: true};
    this.isFull = !channel.publish(target.exchange, target.key, payload, how, onOutcome);
    return this.hasRoom;
  }

  #watchReturned() {
    if (this.returned) return this.returned;
    /** @type {Set<string>} */
    const returned = new Set();
    this.channel.on('return', ({properties: {messageId}}) => returned.add(messageId));
    this.returned = returned;
    return returned;
  }

  /**
   * Resolves when the broker has all messages. Without confirms, the answer to a later request shows this.
   * @override
   * @returns {Promise<{confirmed: number | null}>}
   */
  async flushed() {
    const confirmed = await super.flushed();
    if (this.onConfirm) return confirmed;
    await this.channel.checkQueue(this.target.queue);
    return {confirmed: null};
  }

  /** @override */
  get hasRoom() {
    return this.failure !== null || (!this.isFull && this.unconfirmed < this.window);
  }

  /** @param {Error | null} error */
  #confirm(error) {
    if (error) this.unconfirmed -= 1;
    else this.settle(true);
    // `closed` reports that the channel was closed.
    if (error && error.message !== 'channel closed')
      this.fail(new RunError('The broker refused a message (nack).', {code: 'PB_NACK', cause: error}));
  }
}
