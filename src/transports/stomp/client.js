import {
  declareSubscription,
  namesOver,
  refuseWithoutServer,
  topologyOf,
} from '../../brokers/rabbitmq/topology.js';
import {connectOver, partOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {destinations, openStomp} from './connection.js';
import {DestinationPublisher, Outgoing} from './outgoing.js';
import {openStore} from './store.js';

/**
 * @import {OpenedStomp, StompSettings} from './connection.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings} from '../transport.js'
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
    toStore: openStore,
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
