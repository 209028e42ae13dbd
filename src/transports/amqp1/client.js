import {clientOf, connectOver, withoutServer} from '../brokered.js';
import {AcknowledgedCalls} from '../numbered-calls.js';
import {closeLink, openAmqp1} from './connection.js';
import {LinkPublisher, Outgoing} from './outgoing.js';
import {openStore} from './store.js';

/**
 * @import {Amqp1Settings, OpenedAmqp1} from './connection.js'
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Client, ConnectSettings, Correlation, Waiting} from '../transport.js'
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
  const {topology, closed, close, openSender, openReceiver} = opened;
  const {amqp1Settled: isSettled, amqp1Credit: credit, deliveryMode, window} = options;
  const {requests, replies, replyTo, details: found} = await topology.call();
  const details = {...opened.details, ...found};
  const sender = await openSender(requests, {isSettled});
  const outgoing = new Outgoing(opened, sender, {isSettled, isDurable: deliveryMode === 2});
  const calls = new Calls(outgoing, replyTo, options.correlation);
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
  return clientOf(calls, publisher, {closed, details, close: () => close(cleanUp)});
}

/** @param {OpenedAmqp1} opened @param {Settings} options @returns {Promise<Client>} */
async function connectToAll(opened, options) {
  const {topology, closed, details, close, openSender, openReceiver} = opened;
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
  return {
    ...withoutServer,
    broadcast: {
      publish(payload) {
        if (outgoing) return outgoing.send(payload, {}, () => {});
        early.push(payload);
        if (early.length === 1) open().catch(opened.fail);
      },
      async subscribe(onMessage) {
        const from = await topology.subscribe();
        await openReceiver(from, onMessage, {isSettled: true, credit: options.amqp1Credit});
      },
    },
    ...{closed, details},
    close: () => close(),
  };
}

/** @param {OpenedAmqp1} opened @param {Settings} options */
async function connectToStore(opened, options) {
  const {closed, close} = opened;
  const {store, cleanUp, details} = await openStore(opened, options);
  return {
    ...withoutServer,
    store,
    closed,
    details: {...opened.details, ...details},
    close: () => close(cleanUp),
  };
}

class Calls extends AcknowledgedCalls {
  /** @param {Outgoing} outgoing @param {string} replyTo @param {Correlation | null} correlation */
  constructor(outgoing, replyTo, correlation) {
    super({correlation, isAcknowledged: outgoing.isSettled});
    this.outgoing = outgoing;
    this.replyTo = replyTo;
  }

  /** @param {Buffer} payload @param {Waiting} waiting */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    const call = this.add(waiting);
    const number = this.sent;
    this.outgoing.send(payload, {correlation_id: number, reply_to: this.replyTo}, (refusal) => {
      if (refusal === null) call.acknowledged();
      else this.refuse(number, refusal);
    });
  }
}
