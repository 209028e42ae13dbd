import {WindowedPublisher} from '../windowed-publisher.js';

/**
 * @import {PutOutcome} from '../transport.js'
 * @import {Outgoing} from './connection.js'
 */

/** Publishes one-way messages to a stream. A window bounds those that are not confirmed, and the socket those that are not written. */
export class StreamPublisher extends WindowedPublisher {
  /** @param {Outgoing} outgoing @param {{window: number | undefined, closed: Promise<void>}} options */
  constructor(outgoing, {window = 1, closed}) {
    super({window, closed});
    this.outgoing = outgoing;
    this.properties = {};
    outgoing.socket.on('drain', () => this.changes.announce());
    this.onConfirm = (/** @type {Error | null} */ refusal) => this.settleWith(refusal);
  }

  /** @param {Buffer} payload @param {PutOutcome} [outcome] of this very message @returns {boolean} false: wait for `drained` */
  publish(payload, outcome) {
    this.unconfirmed += 1;
    const onConfirm = outcome
      ? (/** @type {Error | null} */ refusal) => this.settleWith(refusal, outcome)
      : this.onConfirm;
    this.outgoing.send(payload, this.properties, onConfirm);
    return this.hasRoom;
  }

  /** @override */
  get hasRoom() {
    return this.failure !== null || (this.unconfirmed < this.window && this.outgoing.hasRoom);
  }
}
