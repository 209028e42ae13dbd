import {
  declareTopology,
  deleteUnusedTopology,
  forgetEarlierRuns,
  namesOver,
  topologyOf,
} from '../../brokers/rabbitmq/topology.js';
import {serveOver} from '../brokered.js';
import {replyInParts} from '../serialized-requests.js';
import {destinations, openStomp} from './connection.js';
import {Outgoing} from './outgoing.js';

/**
 * @import {OpenedStomp, StompSettings} from './connection.js'
 * @import {OnRequest, ServeSettings, Server} from '../transport.js'
 * @import {IMessage} from '@stomp/stompjs'
 */

/** @param {ServeSettings & StompSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const opened = await openStomp(options);
  return await serveOver(opened, () => consume(opened, options, onRequest));
}

/** @param {OpenedStomp} opened @param {ServeSettings & StompSettings} options @param {OnRequest} onRequest */
async function consume(opened, options, onRequest) {
  const {onChannel, subscribe} = opened;
  const {stompReceipts: isConfirmed, stompPrefetch, deliveryMode, findsQueue = false} = options;
  const settings = {...options, ...namesOver(options, 'stomp')};
  const names = topologyOf(settings);
  await onChannel(async (channel) => {
    await declareTopology(channel, settings);
    if (!findsQueue) await forgetEarlierRuns(channel, names.requestQueue);
  });
  const outgoing = new Outgoing(opened, {isConfirmed, isPersistent: deliveryMode === 2});
  const subscription = await subscribe(
    destinations.queue(names.requestQueue),
    (payload, message) => onRequest(payload, answer(outgoing, message)),
    {prefetch: isConfirmed ? stompPrefetch : null},
  );
  if (findsQueue) return;
  return async () => {
    await subscription.end();
    await onChannel((channel) => deleteUnusedTopology(channel, names));
  };
}

/**
 * Makes a reply. With receipts, the request is acknowledged when the receipt of its reply has arrived.
 * @param {Outgoing} outgoing @param {IMessage} message
 */
function answer(outgoing, message) {
  const {'reply-to': destination = '', 'correlation-id': id = ''} = message.headers;
  const headers = {'correlation-id': id};
  const acknowledge = () => {
    if (outgoing.isConfirmed) message.ack();
  };
  const reply = replyInParts({
    send(payload, onReceipt = () => {}) {
      outgoing.send(destination, payload, headers, onReceipt);
      return outgoing.hasRoom;
    },
    drained: () => outgoing.drained(),
    done: acknowledge,
  });
  return destination === '' ? {...reply, end: acknowledge} : reply;
}
