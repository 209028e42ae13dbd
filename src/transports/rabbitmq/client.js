import {clientIdOf} from '../../brokers/client-id.js';
import {
  declareReplyQueue,
  declareSubscription,
  refuseWithoutServer,
  topologyOf,
} from '../../brokers/rabbitmq/topology.js';
import {RunError} from '../../errors.js';
import {clientOf, connectOver, withoutServer} from '../brokered.js';
import {CorrelatedCalls} from '../numbered-calls.js';
import {openChannel} from './channel.js';
import {isConfirmed} from './confirmation.js';
import {Publisher} from './publisher.js';
import {openStore} from './store.js';

/**
 * @import {ChannelSettings} from './channel.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Client, ConnectSettings, Waiting} from '../transport.js'
 * @import {Channel, ConfirmChannel, ConsumeMessage, Options} from 'amqplib'
 * @import {RabbitmqSettings} from './index.js'
 */

/** @typedef {ConnectSettings & ChannelSettings & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openChannel(options);
  return await connectOver(opened, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: connectToStore,
  });
}

/** @typedef {Awaited<ReturnType<typeof openChannel>>} OpenedChannel */

/** @param {OpenedChannel} opened @param {Settings} options */
async function connectToServer(opened, options) {
  const {channel, closed, failed, lose, details, close} = opened;
  const names = topologyOf(options);
  await refuseWithoutServer(channel, names.requestQueue, 'npx perf-battle serve rabbitmq');
  const replyTo =
    options.reply === 'direct'
      ? directReplyTo
      : await declareReplyQueue(channel, names, clientIdOf(options), options);
  const calls = new Calls(channel, names, replyTo, options);
  failed((error) => calls.fail(error));
  await calls.listen(lose);
  const target = {exchange: names.requestExchange, key: names.requestKey, queue: names.requestQueue};
  const publisher = new Publisher(opened, target, options);
  /** @type {Client['ask']} */
  const ask = isConfirmed(options)
    ? (payload, waiting) => calls.sendConfirmed(payload, waiting)
    : (payload, waiting) => calls.send(payload, waiting);
  const end = () => close((usable) => calls.cleanUp(usable));
  return clientOf({ask}, publisher, {closed, details, close: end});
}

/**
 * Connects a publisher or a subscriber. A fanout exchange copies each message into every subscriber's queue, which only that subscriber's
 * connection uses.
 * @param {OpenedChannel} opened
 * @param {Settings} options
 * @returns {Promise<Client>}
 */
async function connectToAll(opened, options) {
  const {channel, closed, lose, details, close} = opened;
  const {broadcastExchange} = topologyOf(options);
  return {
    ...withoutServer,
    broadcast: {
      publish: (payload) => channel.publish(broadcastExchange, '', payload),
      async subscribe(onMessage) {
        const queue = await declareSubscription(channel, options);
        const onDelivery = (/** @type {ConsumeMessage | null} */ message) =>
          message ? onMessage(message.content) : lose(`The queue ${queue} was deleted`);
        await channel.consume(queue, onDelivery, {noAck: true});
      },
    },
    ...{closed, details},
    close: () => close(),
  };
}

/** @param {OpenedChannel} opened @param {Settings} options */
async function connectToStore(opened, options) {
  const {closed, details, close} = opened;
  const {store, cleanUp} = await openStore(opened, options);
  return {...withoutServer, store, closed, details, close: () => close(cleanUp)};
}

export const directReplyTo = 'amq.rabbitmq.reply-to';

export class Calls extends CorrelatedCalls {
  /**
   * @param {Channel | ConfirmChannel} channel
   * @param {ReturnType<typeof topologyOf>} names
   * @param {string} replyTo
   * @param {RabbitmqSettings & Pick<ConnectSettings, 'correlation'>} options
   */
  constructor(channel, names, replyTo, options) {
    super(options.correlation);
    this.channel = channel;
    this.names = names;
    this.replyTo = replyTo;
    this.options = options;
  }

  /**
   * @param {(what: string) => void} lose reports that the reply queue was deleted. The cause may be a request of this client's earlier connection
   *   that the network has delivered late
   */
  async listen(lose) {
    const {channel, options, replyTo} = this;
    // Direct reply-to supports only automatic acknowledgement.
    const noAck = replyTo === directReplyTo || options.acknowledgement === 'auto';
    await channel.prefetch(options.prefetch);
    channel.on('return', ({properties}) => this.#returned(properties.correlationId));
    await channel.consume(
      replyTo,
      (message) => {
        if (!message) return lose(`The reply queue ${replyTo} was deleted`);
        this.take(message.properties.correlationId, message.content);
        if (!noAck) channel.ack(message);
      },
      {noAck},
    );
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  send(payload, waiting) {
    this.#publish(waiting, (properties) => {
      const {names, channel} = this;
      channel.publish(names.requestExchange, names.requestKey, payload, properties);
    });
  }

  /**
   * Sends a request whose round trip ends when both the reply and the confirm or commit of the request have arrived.
   * @param {Buffer} payload
   * @param {Waiting} waiting
   */
  sendConfirmed(payload, waiting) {
    /** @type {Buffer | null} */
    let reply = null;
    let confirmed = false;
    const both = {
      resolve: (/** @type {Buffer} */ content) => {
        if (confirmed) waiting.resolve(content);
        reply = content;
      },
      reject: (/** @type {Error} */ error) => waiting.reject(error),
      onChunk: waiting.onChunk,
    };
    this.#publish(both, (properties) => {
      const {names} = this;
      const channel = /** @type {ConfirmChannel} */ (this.channel);
      channel.publish(names.requestExchange, names.requestKey, payload, properties, (error) => {
        if (error) {
          // `closed` reports that the channel was closed.
          if (error.message !== 'channel closed')
            waiting.reject(
              new RunError('The broker refused a request (nack).', {code: 'PB_NACK', cause: error}),
            );
        } else if (reply) waiting.resolve(reply);
        confirmed = true;
      });
    });
  }

  /** @param {Channel} channel */
  async cleanUp(channel) {
    if (this.replyTo !== directReplyTo) await channel.deleteQueue(this.replyTo);
  }

  /**
   * @param {Waiting} waiting
   * @param {(properties: Options.Publish) => void} publish throws when the channel has closed
   */
  #publish(waiting, publish) {
    const correlationId = this.add(waiting);
    if (correlationId === null) return;
    const {replyTo, options} = this;
    try {
      publish({correlationId, replyTo, deliveryMode: options.deliveryMode, mandatory: true});
    } catch (error) {
      waiting.reject(/** @type {Error} */ (error));
    }
  }

  /** @param {string} correlationId */
  #returned(correlationId) {
    const message = `The broker returned a request: the queue ${this.names.requestQueue} does not exist any more.`;
    this.refuse(correlationId, new RunError(message, {code: 'PB_RETURNED'}));
  }
}
