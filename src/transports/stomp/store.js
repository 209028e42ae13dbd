import {clientIdOf} from '../../brokers/client-id.js';
import {declareStoreQueue, namesOver} from '../../brokers/rabbitmq/topology.js';
import {storeOf} from '../brokered.js';
import {Taker} from '../taker.js';
import {destinations} from './connection.js';
import {DestinationPublisher, Outgoing} from './outgoing.js';

/**
 * @import {OnMessage, OpenedStomp, StompSettings, Subscription} from './connection.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {ConnectSettings, OnConsumed, Store} from '../transport.js'
 */

/**
 * Opens a durable queue for this client alone. With receipts, the client acknowledges each message that it takes.
 * @param {OpenedStomp} opened @param {StompSettings & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, cleanUp: () => Promise<void>}>}
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
 */
export async function openStore(opened, options) {
  const {closed, onChannel} = opened;
  const {stompReceipts: isConfirmed, stompPrefetch, deliveryMode, window} = options;
  const {findsQueue = false, keepsStore = false} = options;
  const client = {clientId: clientIdOf(options), isThere: findsQueue};
  const queue = await onChannel((channel) =>
    declareStoreQueue(channel, {...options, ...namesOver(options, 'stomp')}, client),
  );
  const destination = destinations.queue(queue);
  const outgoing = new Outgoing(opened, {isConfirmed, isPersistent: deliveryMode === 2});
  const publisher = new DestinationPublisher(outgoing, {destination, window});
  const taker = takerOf(opened, destination, isConfirmed ? stompPrefetch : null);
  closed.catch((error) => taker.fail(error));
  return {
    store: storeOf(publisher, taker, {
      awaitsConfirms: isConfirmed,
      consume: (onMessage) =>
        consume(opened, {destination, prefetch: isConfirmed ? stompPrefetch : null}, onMessage),
    }),
    cleanUp: async () => {
      if (!keepsStore) await onChannel((channel) => channel.deleteQueue(queue));
    },
  };
}

/** @param {OpenedStomp} opened @param {string} destination @param {number | null} prefetch null: messages need no acknowledgement */
function takerOf({subscribe}, destination, prefetch) {
  /** Present while messages are delivered. @type {Subscription | null} */
  let subscription = null;
  /** @type {OnMessage} */
  const onMessage = (payload, message) => {
    taker.offer(payload);
    if (prefetch !== null) message.ack();
  };
  const taker = new Taker({
    begin: async () => {
      subscription = await subscribe(destination, onMessage, {prefetch});
    },
    end: async () => void (await subscription?.end()),
  });
  return taker;
}

/**
 * @param {OpenedStomp} opened
 * @param {{destination: string, prefetch: number | null}} from prefetch: null: the delivery acknowledges the message
 * @param {OnConsumed} onMessage
 */
async function consume({subscribe}, {destination, prefetch}, onMessage) {
  let isEnded = false;
  /** @type {OnMessage} */
  const deliver = (payload, message) => {
    if (prefetch === null) onMessage(payload, null);
    else if (!isEnded) onMessage(payload, async () => message.ack());
  };
  const subscription = await subscribe(destination, deliver, {prefetch});
  return {
    async end() {
      isEnded = true;
      // Ending a subscription would return unacknowledged messages to the queue, although they can still be acknowledged.
      // So a subscription with acknowledgements ends with the connection.
      if (prefetch === null) await subscription.end();
    },
  };
}
