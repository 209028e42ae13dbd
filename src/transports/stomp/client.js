import {clientIdOf} from '../../brokers/client-id.js';
import {
  declareStoreQueue,
  declareSubscription,
  namesOver,
  refuseWithoutServer,
  topologyOf,
} from '../../brokers/rabbitmq/topology.js';
import {connectOver, partOf, storeOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {Taker} from '../taker.js';
import {destinations, openStomp} from './connection.js';
import {DestinationPublisher, Outgoing} from './outgoing.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings, OnConsumed} from '../transport.js'
 * @import {OnMessage, OpenedStomp, StompSettings, Subscription} from './connection.js'
 */

/** @typedef {ConnectSettings & StompSettings & ClientName} Settings */

/** The reply queue of this connection, which the broker creates for the first request (https://www.rabbitmq.com/docs/stomp#d.tqd). */
const replyTo = '/temp-queue/replies';

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openStomp(options);
  return await connectOver(opened, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: connectToStore,
  });
}

/** @param {OpenedStomp} opened @param {Settings} options */
async function connectToServer(opened, options) {
  const {closed, onChannel, onReply} = opened;
  const {stompReceipts: isConfirmed, deliveryMode, window} = options;
  const names = topologyOf(namesOver(options, 'stomp'));
  await onChannel((channel) =>
    refuseWithoutServer(channel, names.requestQueue, 'npx perf-battle serve stomp'),
  );
  const destination = destinations.exchange(names.requestExchange, names.requestKey);
  const outgoing = new Outgoing(opened, {isConfirmed, isPersistent: deliveryMode === 2});
  const calls = new BrokeredCalls(
    options.correlation,
    (payload, call) => {
      const headers = {'correlation-id': String(call.number), 'reply-to': replyTo};
      outgoing.send(destination, payload, headers, () => call.settle());
    },
    {isAcknowledged: !isConfirmed},
  );
  closed.catch((error) => calls.fail(error));
  onReply((payload, {headers}) => calls.take(Number(headers['correlation-id']), payload));
  const publisher = new DestinationPublisher(outgoing, {destination, window});
  return partOf(calls, publisher, (payload) => publisher.publish(payload));
}

/** @param {OpenedStomp} opened @param {Settings} options */
async function connectToAll(opened, options) {
  const {onChannel, subscribe} = opened;
  const names = namesOver(options, 'stomp');
  const outgoing = new Outgoing(opened, {isConfirmed: false, isPersistent: false});
  const everybody = destinations.exchange(topologyOf(names).broadcastExchange, 'all');
  /** @type {Broadcast} */
  const broadcast = {
    publish: (payload) => outgoing.send(everybody, payload, {}, () => {}),
    async subscribe(onMessage) {
      const queue = await onChannel((channel) => declareSubscription(channel, names, {isExclusive: false}));
      await subscribe(destinations.queue(queue), onMessage, {prefetch: null});
    },
  };
  return {broadcast};
}

/**
 * Opens a durable queue for this client alone. With receipts, the client acknowledges each message that it takes.
 * @param {OpenedStomp} opened @param {Settings} options
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
 */
async function connectToStore(opened, options) {
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
