import {Taker} from '../taker.js';
import {closeLink} from './connection.js';
import {LinkPublisher, Outgoing} from './outgoing.js';

/**
 * @import {Amqp1Settings, OnDelivery, OpenedAmqp1} from './connection.js'
 * @import {Origin} from './topology.js'
 * @import {ConnectSettings, Store} from '../transport.js'
 * @import {Receiver} from 'rhea'
 */

/**
 * A durable queue of this client alone, into which it puts messages and from which it takes them. It accepts each message that it takes.
 * @param {OpenedAmqp1} opened
 * @param {Amqp1Settings & Pick<ConnectSettings, 'window' | 'keepsStore'>} options
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
    store: {
      put: (payload, outcome) =>
        outcome ? publisher.publishFor(payload, outcome) : publisher.publish(payload),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      awaitsConfirms: !isSettled,
      take: (count, onMessage, how) => taker.take(count, onMessage, how),
    },
    cleanUp: async () => {
      if (!keepsStore) await topology.endStoring();
    },
  };
}

/**
 * Delivers messages of a queue to its taker.
 * @param {OpenedAmqp1} opened @param {Origin} from @param {number} credit
 * @returns {Taker}
 */
function takerOf(opened, from, credit) {
  /** While messages are delivered. @type {Receiver | null} */
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
