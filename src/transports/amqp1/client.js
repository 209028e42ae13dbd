import {connectOver, partOf, storeOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {Taker} from '../taker.js';
import {closeLink, openAmqp1} from './connection.js';
import {LinkPublisher, Outgoing} from './outgoing.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings, OnConsumed} from '../transport.js'
 * @import {Amqp1Settings, OnDelivery, OpenedAmqp1} from './connection.js'
 * @import {Origin} from './topology.js'
 * @import {Receiver} from 'rhea'
 */

/** @typedef {ConnectSettings & Amqp1Settings & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const opened = await openAmqp1(options);
  return await connectOver(opened, options, {
    toServer: connectToServer,
    toAll: connectToAll,
    toStore: connectToStore,
  });
}

/** @param {OpenedAmqp1} opened @param {Settings} options */
async function connectToServer(opened, options) {
  const {topology, closed, openSender, openReceiver} = opened;
  const {amqp1Settled: isSettled, amqp1Credit: credit, deliveryMode, window} = options;
  const {requests, replies, replyTo, details = {}} = await topology.call();
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
  return {
    ...partOf(calls, publisher, (payload) => publisher.publish(payload)),
    details: {...opened.details, ...details},
    cleanUp,
  };
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

/**
 * Opens a durable queue for this client alone. The client accepts each message that it takes.
 * @param {OpenedAmqp1} opened @param {Settings} options
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
 */
async function connectToStore(opened, options) {
  const {topology, closed, openSender} = opened;
  const {amqp1Settled: isSettled, amqp1Credit: credit, deliveryMode, window, keepsStore = false} = options;
  const {into, from, details = {}} = await topology.store();
  const sender = await openSender(into, {isSettled});
  const outgoing = new Outgoing(opened, sender, {isSettled, isDurable: deliveryMode === 2});
  const publisher = new LinkPublisher(opened, outgoing, {window});
  const taker = takerOf(opened, from, credit);
  closed.catch((error) => taker.fail(error));
  return {
    store: storeOf(publisher, taker, {
      awaitsConfirms: !isSettled,
      consume: (onMessage) => consume(opened, {from, isSettled, credit}, onMessage),
    }),
    details: {...opened.details, ...details},
    cleanUp: async () => {
      if (!keepsStore) await topology.endStoring();
    },
  };
}

/** @param {OpenedAmqp1} opened @param {Origin} from @param {number} credit */
function takerOf(opened, from, credit) {
  /** Present while messages are delivered. @type {Receiver | null} */
  let receiver = null;
  /** @type {OnDelivery} */
  const onMessage = (payload, delivery) => {
    taker.offer(payload);
    delivery.accept();
  };
  const taker = new Taker({
    begin: async () => {
      receiver = await opened.openReceiver(from, onMessage, {isSettled: false, credit});
    },
    async end() {
      const ending = receiver;
      if (ending !== null) await closeLink(ending, opened);
    },
  });
  return taker;
}

/**
 * Delivers messages until the consumer or its connection ends. The delivery acknowledges settled messages.
 * @param {OpenedAmqp1} opened @param {{from: Origin, isSettled: boolean, credit: number}} queue @param {OnConsumed} onMessage
 */
async function consume(opened, {from, isSettled, credit}, onMessage) {
  let isEnded = false;
  const receiver = await opened.openReceiver(
    from,
    (payload, delivery) => {
      if (isSettled) onMessage(payload, null);
      else if (!isEnded) onMessage(payload, async () => void delivery.accept());
    },
    {isSettled, credit},
  );
  return {
    async end() {
      isEnded = true;
      // Closing a link would return unacknowledged messages to the queue, although they can still be acknowledged. So a
      // link with unsettled messages ends with the connection.
      if (isSettled) await closeLink(receiver, opened);
    },
  };
}
