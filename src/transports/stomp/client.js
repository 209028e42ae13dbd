import {
  declareSubscription,
  namesOver,
  refuseWithoutServer,
  topologyOf,
} from '../../brokers/rabbitmq/topology.js';
import {clientOf, connectOver, withoutServer} from '../brokered.js';
import {AcknowledgedCalls} from '../numbered-calls.js';
import {destinations, openStomp} from './connection.js';
import {DestinationPublisher, Outgoing} from './outgoing.js';
import {openStore} from './store.js';

/**
 * @import {OpenedStomp, StompSettings} from './connection.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
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
  const {closed, details, close, onChannel, onReply} = opened;
  const {stompReceipts: isConfirmed, deliveryMode, window} = options;
  const names = topologyOf(namesOver(options, 'stomp'));
  await onChannel((channel) =>
    refuseWithoutServer(channel, names.requestQueue, 'npx perf-battle serve stomp'),
  );
  const destination = destinations.exchange(names.requestExchange, names.requestKey);
  const outgoing = new Outgoing(opened, {isConfirmed, isPersistent: deliveryMode === 2});
  const calls = new Calls(outgoing, destination, options.correlation);
  closed.catch((error) => calls.fail(error));
  onReply((payload, {headers}) => calls.take(Number(headers['correlation-id']), payload));
  const publisher = new DestinationPublisher(outgoing, {destination, window});
  return clientOf(calls, publisher, {closed, details, close: () => close()});
}

/** @param {OpenedStomp} opened @param {Settings} options @returns {Promise<Client>} */
async function connectToAll(opened, options) {
  const {closed, details, close, onChannel, subscribe} = opened;
  const names = namesOver(options, 'stomp');
  const outgoing = new Outgoing(opened, {isConfirmed: false, isPersistent: false});
  const everybody = destinations.exchange(topologyOf(names).broadcastExchange, 'all');
  return {
    ...withoutServer,
    broadcast: {
      publish: (payload) => outgoing.send(everybody, payload, {}, () => {}),
      async subscribe(onMessage) {
        const queue = await onChannel((channel) => declareSubscription(channel, names, {isExclusive: false}));
        await subscribe(destinations.queue(queue), onMessage, {prefetch: null});
      },
    },
    ...{closed, details},
    close: () => close(),
  };
}

/** @param {OpenedStomp} opened @param {Settings} options */
async function connectToStore(opened, options) {
  const {closed, details, close} = opened;
  const {store, cleanUp} = await openStore(opened, options);
  return {...withoutServer, store, closed, details, close: () => close(cleanUp)};
}

class Calls extends AcknowledgedCalls {
  /** @param {Outgoing} outgoing @param {string} destination @param {Correlation | null} correlation */
  constructor(outgoing, destination, correlation) {
    super({correlation, isAcknowledged: !outgoing.isConfirmed});
    this.outgoing = outgoing;
    this.destination = destination;
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    const call = this.add(waiting);
    const headers = {'correlation-id': String(this.sent), 'reply-to': replyTo};
    this.outgoing.send(this.destination, payload, headers, () => call.acknowledged());
  }
}
