import {BufferedPublisher, SocketMessages} from '../windowed-publisher.js';

/**
 * @import {Headers, OpenedStomp} from './connection.js'
 * @import {OnOutcome} from '../windowed-publisher.js'
 */

/** The messages of one connection. */
export class Outgoing extends SocketMessages {
  /** @param {OpenedStomp} opened @param {{isConfirmed: boolean, isPersistent: boolean}} how isConfirmed: whether each message has a receipt */
  constructor(opened, {isConfirmed, isPersistent}) {
    super(opened);
    this.opened = opened;
    this.isConfirmed = isConfirmed;
    /** @type {Headers} */
    this.always = isPersistent ? {persistent: 'true'} : {};
  }

  /**
   * @param {string} destination @param {Buffer} payload @param {Headers} headers
   * @param {() => void} onReceipt is not called for a message without a receipt
   */
  send(destination, payload, headers, onReceipt) {
    this.opened.send(destination, payload, {...headers, ...this.always}, this.isConfirmed ? onReceipt : null);
  }
}

/** An exchange that every virtual host has, and a routing key that no message has. */
const mark = '/exchange/amq.direct/perf-battle-mark';

/**
 * Publishes one-way messages to a destination. With receipts, a window bounds the messages without a receipt. Otherwise, the socket's
 * buffer bounds the messages.
 */
export class DestinationPublisher extends BufferedPublisher {
  /** @param {Outgoing} outgoing @param {{destination: string, window: number | undefined}} options */
  constructor(outgoing, {destination, window}) {
    const {isConfirmed, opened} = outgoing;
    super(outgoing, {window, isConfirmed, closed: opened.closed});
    this.outgoing = outgoing;
    this.destination = destination;
  }

  /** @param {Buffer} payload @param {OnOutcome} onOutcome */
  post(payload, onOutcome) {
    this.outgoing.send(this.destination, payload, {}, onOutcome);
  }

  /** The receipt of a subscription follows the messages, because the broker handles both in order on one channel. */
  async marked() {
    const subscription = await this.outgoing.opened.subscribe(mark, () => {}, {prefetch: null});
    await subscription.end();
  }
}
