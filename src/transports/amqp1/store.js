import {clientIdOf} from '../../brokers/client-id.js';
import {declareStoreQueue, namesOver} from '../../brokers/rabbitmq/topology.js';
import {Taker} from '../taker.js';
import {LinkPublisher, Outgoing} from './outgoing.js';

/**
 * @import {Amqp1Settings, OnDelivery, OpenedAmqp1} from './connection.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {ConnectSettings, Consumption, OnConsumed, Store} from '../transport.js'
 * @import {Receiver} from 'rhea'
 */

/**
 * A durable queue of this client alone, into which it puts messages and from which it takes them. It accepts each message that it takes.
 * @param {OpenedAmqp1} opened
 * @param {Amqp1Settings & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, cleanUp: () => Promise<void>}>}
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
 */
export async function openStore(opened, options) {
  const {addresses, closed, onChannel, openSender} = opened;
  const {amqp1Settled: isSettled, amqp1Credit: credit, deliveryMode, window} = options;
  const {findsQueue = false, keepsStore = false} = options;
  const client = {clientId: clientIdOf(options), isThere: findsQueue};
  const queue = await onChannel((channel) =>
    declareStoreQueue(channel, {...options, ...namesOver(options, 'amqp1')}, client),
  );
  const sender = await openSender(addresses.queue(queue), {isSettled});
  const outgoing = new Outgoing(opened, sender, {isSettled, isDurable: deliveryMode === 2});
  const publisher = new LinkPublisher(opened, outgoing, {window});
  const taker = takerOf(opened, addresses.queue(queue), credit);
  closed.catch((error) => taker.fail(error));
  return {
    store: {
      put: (payload, outcome) =>
        outcome ? publisher.publishFor(payload, outcome) : publisher.publish(payload),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      awaitsConfirms: !isSettled,
      take: (count, onMessage, how) => taker.take(count, onMessage, how),
      consume: (onMessage) =>
        consume(opened, {address: addresses.queue(queue), isSettled, credit}, onMessage),
    },
    cleanUp: async () => {
      if (!keepsStore) await onChannel((channel) => channel.deleteQueue(queue));
    },
  };
}

/**
 * Delivers messages of a queue to its taker.
 * @param {OpenedAmqp1} opened @param {string} address @param {number} credit
 * @returns {Taker}
 */
function takerOf({openReceiver}, address, credit) {
  /** While messages are delivered. @type {Receiver | null} */
  let receiver = null;
  /** @type {OnDelivery} */
  const onMessage = (payload, delivery) => {
    taker.offer(payload);
    delivery.accept();
  };
  const taker = new Taker({
    begin: async () => {
      receiver = await openReceiver(address, onMessage, {isSettled: false, credit});
    },
    async end() {
      if (receiver !== null) await closeLink(receiver);
    },
  });
  return taker;
}

/**
 * Messages come until the consumer ends, or its connection. Those that are settled are acknowledged by their delivery.
 * @param {OpenedAmqp1} opened
 * @param {{address: string, isSettled: boolean, credit: number}} from
 * @param {OnConsumed} onMessage
 * @returns {Promise<Consumption>}
 */
async function consume({openReceiver}, {address, isSettled, credit}, onMessage) {
  let isEnded = false;
  const receiver = await openReceiver(
    address,
    (payload, delivery) => {
      if (isSettled) onMessage(payload, null);
      else if (!isEnded) onMessage(payload, async () => void delivery.accept());
    },
    {isSettled, credit},
  );
  return {
    async end() {
      isEnded = true;
      // The end of a link gives back what was not acknowledged, also what still can be: then it ends with the connection.
      if (isSettled) await closeLink(receiver);
    },
  };
}

/** @param {Receiver} receiver */
async function closeLink(receiver) {
  const isEnded = new Promise((resolve) => receiver.once('receiver_close', resolve));
  receiver.close();
  await isEnded;
}
