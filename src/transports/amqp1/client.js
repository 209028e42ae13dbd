import {connectOver, partOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {closeLink, openAmqp1} from './connection.js';
import {LinkPublisher, Outgoing} from './outgoing.js';
import {openStore} from './store.js';

/**
 * @import {Amqp1Settings, OpenedAmqp1} from './connection.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings} from '../transport.js'
 */

/** @typedef {ConnectSettings & Amqp1Settings & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openAmqp1(options);
  return await connectOver(opened, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: openStore,
  });
}

/** @param {OpenedAmqp1} opened @param {Settings} options */
async function connectToServer(opened, options) {
  const {topology, closed, openSender, openReceiver} = opened;
  const {amqp1Settled: isSettled, amqp1Credit: credit, deliveryMode, window} = options;
  const {requests, replies, replyTo} = await topology.call();
  const sender = await openSender(requests, {isSettled});
  const outgoing = new Outgoing(opened, sender, {isSettled, isDurable: deliveryMode === 2});
  const calls = new BrokeredCalls(
    options.correlation,
    (payload, call) => {
      const properties = {correlation_id: call.number, reply_to: replyTo};
      outgoing.send(payload, properties, (refusal) => call.settle(refusal));
    },
    {isAcknowledged: isSettled},
  );
  closed.catch((error) => calls.fail(error));
  const receiver = await openReceiver(
    replies,
    (payload, delivery, {correlation_id: id}) => {
      calls.take(Number(id), payload);
      if (!isSettled) delivery.accept();
    },
    {isSettled, credit},
  );
  const publisher = new LinkPublisher(opened, outgoing, {window});
  const cleanUp = async () => {
    // RabbitMQ 3 does not answer the end of a connection that has a link to a deleted queue.
    await closeLink(receiver, opened);
    await topology.endCalling();
  };
  return {...partOf(calls, publisher, (payload) => publisher.publish(payload)), cleanUp};
}

/** @param {OpenedAmqp1} opened @param {Settings} options */
async function connectToAll(opened, options) {
  const {topology, openSender, openReceiver} = opened;
  const how = {isSettled: true, isDurable: false};
  /** Opened with the first message, because its target exists only when a client has subscribed. @type {Outgoing | null} */
  let outgoing = null;
  /** @type {Buffer[]} */
  let early = [];
  const open = async () => {
    const sender = await openSender(topology.broadcast, how);
    outgoing = new Outgoing(opened, sender, how);
    for (const payload of early) outgoing.send(payload, {}, () => {});
    early = [];
  };
  /** @type {Broadcast} */
  const broadcast = {
    publish(payload) {
      if (outgoing) return outgoing.send(payload, {}, () => {});
      early.push(payload);
      if (early.length === 1) open().catch(opened.fail);
    },
    async subscribe(onMessage) {
      const from = await topology.subscribe();
      await openReceiver(from, onMessage, {isSettled: true, credit: options.amqp1Credit});
    },
  };
  return {broadcast};
}
