/** @import {Waiting} from './transport.js' */

/** A request in flight, whose round trip ends when its reply and the broker's acknowledgement of the request are both in. */
export class AcknowledgedCall {
  /** @param {Waiting} waiting @param {boolean} isAcknowledged true: no acknowledgement is expected */
  constructor(waiting, isAcknowledged) {
    this.waiting = waiting;
    this.isAcknowledged = isAcknowledged;
    /** @type {Buffer | null} */
    this.reply = null;
  }

  acknowledged() {
    this.isAcknowledged = true;
    if (this.reply) this.waiting.resolve(this.reply);
  }

  /** @param {Buffer} reply */
  replied(reply) {
    if (this.isAcknowledged) this.waiting.resolve(reply);
    else this.reply = reply;
  }
}
