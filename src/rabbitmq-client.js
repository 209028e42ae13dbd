import {randomUUID} from 'node:crypto';
import {RunError} from './errors.js';
import {runClientScript} from './roles/client.js';
import {rabbitmq} from './transports/rabbitmq.js';
import {openChannel} from './transports/rabbitmq-channel.js';
import {declareReplyQueue, topologyOf} from './transports/rabbitmq-topology.js';

const directReplyTo = 'amq.rabbitmq.reply-to';
/** AMQP's reply code for a queue that does not exist. */
const notFound = 404;

/**
 * @param {import('./transports/index.js').ClientOptions} options broker, exchange, queue, queueType, deliveryMode, acknowledgement,
 *   prefetch, confirms, reply, noDelay
 * @returns {Promise<import('./transports/index.js').Client>}
 */
export async function connect(options) {
  const {channel, closed, failed, details, close} = await openChannel(options);
  try {
    const names = topologyOf(options);
    await refuseWithoutServer(channel, names.requestQueue);
    const replyTo =
      options.reply === 'direct'
        ? directReplyTo
        : await declareReplyQueue(channel, names, randomUUID(), options.queueType);
    const calls = new Calls(channel, names, replyTo, options);
    failed((error) => calls.fail(error));
    await calls.listen();
    return {
      request: options.confirms
        ? (payload) => calls.sendConfirmed(payload)
        : (payload) => calls.send(payload),
      closed,
      details,
      close: () => close(() => calls.cleanUp()),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The server makes the exchanges and the request queue, and deletes them. Without them, or without a consumer, a request would
 * only wait for its timeout.
 * @param {import('amqplib').Channel} channel
 * @param {string} queue
 */
async function refuseWithoutServer(channel, queue) {
  const consumers = await channel.checkQueue(queue).then(
    ({consumerCount}) => consumerCount,
    (error) => {
      if (error.code === notFound) return 0;
      throw error;
    },
  );
  if (consumers > 0) return;
  const hint = 'Start src/rabbitmq-server.js with the same settings.';
  throw new RunError(`No RabbitMQ server of perf-battle consumes from ${queue}. ${hint}`, {
    code: 'PB_NO_SERVER',
  });
}

/** The requests of one client and what they wait for, matched by correlation id. */
class Calls {
  /**
   * @param {import('amqplib').Channel | import('amqplib').ConfirmChannel} channel
   * @param {ReturnType<typeof import('./transports/rabbitmq-topology.js').topologyOf>} names
   * @param {string} replyTo
   * @param {import('./transports/index.js').Variant} options
   */
  constructor(channel, names, replyTo, options) {
    this.channel = channel;
    this.names = names;
    this.replyTo = replyTo;
    this.options = options;
    this.sent = 0;
    /** @type {Map<string, {resolve: (reply: Buffer) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    /** @type {Error | null} */
    this.failure = null;
  }

  async listen() {
    const {channel, options, replyTo} = this;
    // Direct reply-to knows no acknowledgements: the broker insists on automatic ones.
    const noAck = replyTo === directReplyTo || options.acknowledgement === 'auto';
    await channel.prefetch(options.prefetch);
    channel.on('return', ({properties}) => this.#returned(properties.correlationId));
    await channel.consume(
      replyTo,
      (message) => {
        if (!message)
          return this.fail(
            new RunError(`The reply queue ${replyTo} was deleted.`, {code: 'PB_CONNECTION_LOST'}),
          );
        this.#settle(message.properties.correlationId)?.resolve(message.content);
        if (!noAck) channel.ack(message);
      },
      {noAck},
    );
  }

  /** @param {Buffer} payload @returns {Promise<Buffer>} */
  send(payload) {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      const {names, channel} = this;
      channel.publish(names.requestExchange, names.requestKey, payload, this.#properties({resolve, reject}));
    });
  }

  /**
   * The round trip ends when the reply and the broker's confirm of the request are both in.
   * @param {Buffer} payload
   * @returns {Promise<Buffer>}
   */
  sendConfirmed(payload) {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      /** @type {Buffer | null} */
      let reply = null;
      let confirmed = false;
      const properties = this.#properties({
        resolve: (content) => {
          if (confirmed) resolve(content);
          reply = content;
        },
        reject,
      });
      const {names} = this;
      const channel = /** @type {import('amqplib').ConfirmChannel} */ (this.channel);
      channel.publish(names.requestExchange, names.requestKey, payload, properties, (error) => {
        if (error)
          reject(new RunError('The broker refused a request (nack).', {code: 'PB_NACK', cause: error}));
        else if (reply) resolve(reply);
        confirmed = true;
      });
    });
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
    for (const {reject} of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  async cleanUp() {
    if (this.replyTo !== directReplyTo) await this.channel.deleteQueue(this.replyTo);
  }

  /** @param {{resolve: (reply: Buffer) => void, reject: (error: Error) => void}} call */
  #properties(call) {
    this.sent += 1;
    const correlationId = String(this.sent);
    this.waiting.set(correlationId, call);
    return {correlationId, replyTo: this.replyTo, deliveryMode: this.options.deliveryMode, mandatory: true};
  }

  /** @param {string} correlationId @returns {{resolve: (reply: Buffer) => void, reject: (error: Error) => void} | undefined} */
  #settle(correlationId) {
    const call = this.waiting.get(correlationId);
    this.waiting.delete(correlationId);
    return call;
  }

  /** @param {string} correlationId */
  #returned(correlationId) {
    const message = `The broker returned a request: the queue ${this.names.requestQueue} is gone.`;
    this.#settle(correlationId)?.reject(new RunError(message, {code: 'PB_RETURNED'}));
  }
}

await runClientScript(import.meta.url, rabbitmq, connect);
