import {randomUUID} from 'node:crypto';
import {clientIdOf} from '../../brokers/client-id.js';
import {declareStoreQueue} from '../../brokers/rabbitmq/topology.js';
import {RunError} from '../../errors.js';
import {storeOf} from '../brokered.js';
import {Taker} from '../taker.js';
import {isConfirmed} from './confirmation.js';
import {Publisher} from './publisher.js';

/**
 * @import {ConnectSettings, OnConsumed, Store} from '../transport.js'
 * @import {CleanUp, openChannel} from './channel.js'
 * @import {RabbitmqSettings} from './index.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Transactions} from './transactions.js'
 * @import {ConsumeMessage} from 'amqplib'
 */

/**
 * Opens a durable queue for this client alone.
 * @param {Awaited<ReturnType<typeof openChannel>>} opened
 * @param {RabbitmqSettings & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, cleanUp: CleanUp | undefined}>}
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
  const taker = takerOf(opened, queue, options.acknowledgement === 'auto');
  closed.catch((error) => taker.fail(error));
  return {
    store: storeOf(publisher, taker, {
      awaitsConfirms: isConfirmed(options),
      consume: (onMessage) => consume(opened, {queue, noAck: options.acknowledgement === 'auto'}, onMessage),
    }),
    cleanUp: keepsStore ? undefined : async (usable) => void (await usable.deleteQueue(queue)),
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
