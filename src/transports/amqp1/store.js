import {storeOf} from '../brokered.js';
import {Taker} from '../taker.js';
import {closeLink} from './connection.js';
import {LinkPublisher, Outgoing} from './outgoing.js';

/**
 * @import {Amqp1Settings, OnDelivery, OpenedAmqp1} from './connection.js'
 * @import {Origin} from './topology.js'
 * @import {ConnectSettings, OnConsumed, Store} from '../transport.js'
 * @import {Receiver} from 'rhea'
 */

/**
 * Opens a durable queue for this client alone. The client accepts each message that it takes.
 * @param {OpenedAmqp1} opened @param {Amqp1Settings & Pick<ConnectSettings, 'window' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, cleanUp: () => Promise<void>}>}
 * @throws {RunError} PB_TOPOLOGY when the broker refuses the queue
 */
export async function openStore(opened, options) {
  const {topology, closed, openSender} = opened;
  const {amqp1Settled: isSettled, amqp1Credit: credit, deliveryMode, window, keepsStore = false} = options;
  const {into, from} = await topology.store();
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
