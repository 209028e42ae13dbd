import {serveOver} from '../brokered.js';
import {replyInParts} from '../serialized-requests.js';
import {closeLink, openAmqp1} from './connection.js';
import {Outgoing} from './outgoing.js';

/**
 * @import {Amqp1Settings, OpenedAmqp1} from './connection.js'
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {Delivery, Message} from 'rhea'
 */

/** @param {ServeSettings & Amqp1Settings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const opened = await openAmqp1(options);
  return await serveOver(opened, () => consume(opened, options, onRequest));
}

/** @param {OpenedAmqp1} opened @param {ServeSettings & Amqp1Settings} options @param {OnRequest} onRequest */
async function consume(opened, options, onRequest) {
  const {topology, openSender, openReceiver} = opened;
  const {amqp1Settled: isSettled, amqp1Credit: credit, deliveryMode, findsQueue = false} = options;
  const {requests, replies, to} = await topology.serve();
  const sender = await openSender(replies, {isSettled});
  const outgoing = new Outgoing(opened, sender, {isSettled, isDurable: deliveryMode === 2});
  const answer = answerOver(outgoing, to);
  const receiver = await openReceiver(
    requests,
    (payload, delivery, properties) => onRequest(payload, answer(delivery, properties)),
    {isSettled, credit},
  );
  if (findsQueue) return;
  return async () => {
    await closeLink(receiver, opened);
    await topology.endServing();
  };
}

/**
 * Makes replies. An unsettled request is accepted when the broker has accepted its reply.
 * @param {Outgoing} outgoing @param {(key: string) => object} to
 * @returns {(delivery: Delivery, properties: Message) => Reply}
 */
function answerOver(outgoing, to) {
  const {isSettled} = outgoing;
  return (delivery, {reply_to: key, correlation_id}) => {
    const properties = {...to(key ?? ''), correlation_id: correlation_id ?? 0};
    const accept = () => {
      if (!isSettled) delivery.accept();
    };
    return replyInParts({
      // The outcome does not matter: a client may have ended.
      send(payload, onTaken = () => {}) {
        outgoing.send(payload, properties, onTaken);
        return outgoing.hasRoom;
      },
      drained: () => outgoing.drained(),
      done: accept,
    });
  };
}
