import {Changes, WindowedPublisher} from '../windowed-publisher.js';

/**
 * @import {Headers, OpenedStomp} from './connection.js'
 * @import {PutOutcome} from '../transport.js'
 */

/** The messages of one connection. */
export class Outgoing {
  /** @param {OpenedStomp} opened @param {{isConfirmed: boolean, isPersistent: boolean}} how isConfirmed: whether each message has a receipt */
  constructor(opened, {isConfirmed, isPersistent}) {
    this.opened = opened;
    this.isConfirmed = isConfirmed;
    /** @type {Headers} */
    this.always = isPersistent ? {persistent: 'true'} : {};
    /** @type {Error | null} */
    this.failure = null;
    this.changes = new Changes();
    opened.socket.on('drain', () => this.changes.announce());
    opened.closed.catch((error) => {
      this.failure ??= error;
      this.changes.announce();
    });
  }

  /**
   * @param {string} destination
   * @param {Buffer} payload
   * @param {Headers} headers
   * @param {() => void} onReceipt is not called for a message without a receipt, nor if the connection ends first
   */
  send(destination, payload, headers, onReceipt) {
    this.opened.send(destination, payload, {...headers, ...this.always}, this.isConfirmed ? onReceipt : null);
  }

  get hasRoom() {
    return this.failure !== null || !this.opened.socket.writableNeedDrain;
  }

  /** @throws what ended the connection */
  async drained() {
    while (!this.hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }
}

/** An exchange that every virtual host has, and a routing key that no message has. */
const mark = '/exchange/amq.direct/perf-battle-mark';

/**
 * Publishes one-way messages to a destination. With receipts, a window bounds the messages without a receipt. Otherwise, the socket's
 * buffer bounds the messages.
 */
export class DestinationPublisher extends WindowedPublisher {
  /** @param {Outgoing} outgoing @param {{destination: string, window: number | undefined}} options */
  constructor(outgoing, {destination, window = 1}) {
    const {isConfirmed, opened} = outgoing;
    super({window: isConfirmed ? window : Number.POSITIVE_INFINITY, closed: opened.closed});
    this.outgoing = outgoing;
    this.destination = destination;
    this.onReceipt = () => this.settle(true);
  }

  /** @param {Buffer} payload @param {PutOutcome} [outcome] of this message, if it has a receipt @returns {boolean} false: wait for `drained` */
  publish(payload, outcome) {
    const {outgoing, destination} = this;
    if (outgoing.isConfirmed) this.unconfirmed += 1;
    const onReceipt = outcome ? () => this.settleWith(null, outcome) : this.onReceipt;
    outgoing.send(destination, payload, {}, onReceipt);
    return this.hasRoom && outgoing.hasRoom;
  }

  /** @override @throws what ended the connection */
  async drained() {
    await super.drained();
    await this.outgoing.drained();
  }

  /**
   * Resolves when the broker has all messages. Without receipts for messages, the receipt of a subscription shows this, because the broker
   * handles both in order on one channel.
   * @override
   * @returns {Promise<{confirmed: number | null}>}
   */
  async flushed() {
    const confirmed = await super.flushed();
    const {isConfirmed, opened} = this.outgoing;
    if (isConfirmed) return confirmed;
    const subscription = await opened.subscribe(mark, () => {}, {prefetch: null});
    await subscription.end();
    return {confirmed: null};
  }
}
