import {randomUUID} from 'node:crypto';
import {clientIdOf} from '../../brokers/client-id.js';
import {
  declareReplyQueue,
  declareStoreQueue,
  declareSubscription,
  refuseWithoutServer,
  topologyOf,
} from '../../brokers/rabbitmq/topology.js';
import {RunError} from '../../errors.js';
import {connectOver, partOf, storeOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {Taker} from '../taker.js';
import {openChannel} from './channel.js';
import {isConfirmed} from './confirmation.js';
import {Publisher} from './publisher.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings, OnConsumed} from '../transport.js'
 * @import {ChannelSettings} from './channel.js'
 * @import {RabbitmqSettings} from './index.js'
 * @import {Transactions} from './transactions.js'
 * @import {Channel, ConfirmChannel, ConsumeMessage} from 'amqplib'
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
  const {channel, closed, lose} = opened;
  const names = topologyOf(options);
  await refuseWithoutServer(channel, names.requestQueue, 'npx perf-battle serve rabbitmq');
  const replyTo =
    options.reply === 'direct'
      ? directReplyTo
      : await declareReplyQueue(channel, names, clientIdOf(options), options);
  const calls = new Calls(channel, names, replyTo, options);
  closed.catch((error) => calls.fail(error));
  await calls.listen(lose);
  const target = {exchange: names.requestExchange, key: names.requestKey, queue: names.requestQueue};
  const publisher = new Publisher(opened, target, options);
  const cleanUp = async (/** @type {Channel} */ usable) => {
    if (replyTo !== directReplyTo) await usable.deleteQueue(replyTo);
  };
  return {...partOf(calls, publisher, (payload) => publisher.publish(payload)), cleanUp};
}

/**
 * Connects a publisher or a subscriber. A fanout exchange copies each message into every subscriber's queue, which only that subscriber's
 * connection uses.
 * @param {OpenedChannel} opened @param {Settings} options
 */
async function connectToAll({channel, lose}, options) {
  const {broadcastExchange} = topologyOf(options);
  /** @type {Broadcast} */
  const broadcast = {
    publish: (payload) => channel.publish(broadcastExchange, '', payload),
    async subscribe(onMessage) {
      const queue = await declareSubscription(channel, options);
      const onDelivery = (/** @type {ConsumeMessage | null} */ message) =>
        message ? onMessage(message.content) : lose(`The queue ${queue} was deleted`);
      await channel.consume(queue, onDelivery, {noAck: true});
    },
  };
  return {broadcast};
}

export const directReplyTo = 'amq.rabbitmq.reply-to';

export class Calls extends BrokeredCalls {
  /**
   * @param {Channel | ConfirmChannel} channel @param {ReturnType<typeof topologyOf>} names @param {string} replyTo
   * @param {RabbitmqSettings & Pick<ConnectSettings, 'correlation'>} options
   */
  constructor(channel, names, replyTo, options) {
    const {requestExchange, requestKey} = names;
    const {deliveryMode, correlation} = options;
    const confirming = isConfirmed(options) ? /** @type {ConfirmChannel} */ (channel) : null;
    super(
      correlation,
      (payload, call) => {
        const correlationId = String(call.number);
        const properties = {correlationId, replyTo, deliveryMode, mandatory: true};
        if (confirming === null) channel.publish(requestExchange, requestKey, payload, properties);
        else
          confirming.publish(requestExchange, requestKey, payload, properties, (error) => {
            // `closed` reports that the channel was closed.
            if (error?.message !== 'channel closed') call.settle(error && nacked(error));
          });
      },
      {isAcknowledged: confirming === null},
    );
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
    channel.on('return', ({properties}) => this.#returned(Number(properties.correlationId)));
    await channel.consume(
      replyTo,
      (message) => {
        if (!message) return lose(`The reply queue ${replyTo} was deleted`);
        this.take(Number(message.properties.correlationId), message.content);
        if (!noAck) channel.ack(message);
      },
      {noAck},
    );
  }

  /** @param {number} number of a request */
  #returned(number) {
    const message = `The broker returned a request: the queue ${this.names.requestQueue} does not exist any more.`;
    this.refuse(number, new RunError(message, {code: 'PB_RETURNED'}));
  }
}

/** @param {Error} cause */
function nacked(cause) {
  return new RunError('The broker refused a request (nack).', {code: 'PB_NACK', cause});
}

/**
 * Opens a durable queue for this client alone.
 * @param {Awaited<ReturnType<typeof openChannel>>} opened @param {Settings} options
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
 */
async function connectToStore(opened, options) {
  const {channel, closed} = opened;
  const {findsQueue = false, keepsStore = false} = options;
  const queue = await declareStoreQueue(channel, options, {
    clientId: clientIdOf(options),
    isThere: findsQueue,
  });
  const publisher = new Publisher(opened, {exchange: '', key: queue, queue}, options);
  await channel.prefetch(options.prefetch);
  const taker = takerOf(opened, queue, options.acknowledgement === 'auto');
  closed.catch((error) => taker.fail(error));
  return {
    store: storeOf(publisher, taker, {
      awaitsConfirms: isConfirmed(options),
      consume: (onMessage) => consume(opened, {queue, noAck: options.acknowledgement === 'auto'}, onMessage),
    }),
    cleanUp: keepsStore
      ? undefined
      : async (/** @type {Channel} */ usable) => void (await usable.deleteQueue(queue)),
  };
}

/**
 * @param {Pick<Awaited<ReturnType<typeof openChannel>>, 'channel' | 'transactions'>} opened @param {string} queue @param {boolean} noAck
 */
function takerOf({channel, transactions}, queue, noAck) {
  const consumerTag = randomUUID();
  /** Offers a message when its acknowledgement is committed. @param {ConsumeMessage} message @param {Transactions} open */
  const commit = (message, open) => {
    channel.ack(message);
    open.committed().then(
      () => taker.offer(message.content),
      (error) => taker.fail(error),
    );
  };
  /** @param {ConsumeMessage | null} message */
  const onMessage = (message) => {
    if (!message)
      return taker.fail(new RunError(`The queue ${queue} was deleted.`, {code: 'PB_CONNECTION_LOST'}));
    if (transactions && !noAck) return commit(message, transactions);
    taker.offer(message.content);
    if (!noAck) channel.ack(message);
  };
  const taker = new Taker({
    begin: () => channel.consume(queue, onMessage, {noAck, consumerTag}),
    end: () => channel.cancel(consumerTag),
  });
  return taker;
}

/**
 * @param {Pick<Awaited<ReturnType<typeof openChannel>>, 'channel' | 'transactions' | 'lose'>} opened
 * @param {{queue: string, noAck: boolean}} from @param {OnConsumed} onMessage
 */
async function consume({channel, transactions, lose}, {queue, noAck}, onMessage) {
  const consumerTag = randomUUID();
  const acknowledge = async (/** @type {ConsumeMessage} */ message) => {
    channel.ack(message);
    await transactions?.committed();
  };
  const onDelivery = (/** @type {ConsumeMessage | null} */ message) => {
    if (!message) return lose(`The queue ${queue} was deleted`);
    onMessage(message.content, noAck ? null : () => acknowledge(message));
  };
  await channel.consume(queue, onDelivery, {noAck, consumerTag});
  return {end: async () => void (await channel.cancel(consumerTag))};
}
