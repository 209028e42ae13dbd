import {RunError} from '../errors.js';

/** @import {Client, Correlation, Waiting} from './transport.js' */

/** A request in flight. Its round trip ends when both the reply and the broker's acknowledgement of the request have arrived. */
class BrokeredCall {
  /** @param {BrokeredCalls} owner @param {number} number @param {Waiting} waiting */
  constructor(owner, number, waiting) {
    this.owner = owner;
    this.number = number;
    this.waiting = waiting;
    this.isAcknowledged = owner.isAcknowledged;
    /** @type {Buffer | null} */
    this.reply = null;
  }

  /** Records that the broker has the request, or why it refused the request. @param {Error | null} [refusal] */
  settle(refusal) {
    if (refusal) return this.owner.refuse(this.number, refusal);
    this.isAcknowledged = true;
    if (this.reply) this.#resolve(this.reply);
  }

  /** @param {Buffer} reply */
  replied(reply) {
    if (this.isAcknowledged) this.#resolve(reply);
    else this.reply = reply;
  }

  /** @param {Buffer} reply */
  #resolve(reply) {
    this.owner.calls.delete(this.number);
    this.waiting.resolve(reply);
  }
}

/** The requests of a client whose messages carry request numbers, and may be acknowledged by a broker. */
export class BrokeredCalls {
  /**
   * @param {Correlation | null} correlation
   * @param {(payload: Buffer, call: BrokeredCall) => void} send also lets the call settle, if the broker acknowledges requests
   * @param {{isAcknowledged?: boolean}} [how] isAcknowledged: whether the broker acknowledges nothing; default false
   */
  constructor(correlation, send, {isAcknowledged = false} = {}) {
    this.onStray = correlation?.onStray ?? (() => {});
    this.send = send;
    this.isAcknowledged = isAcknowledged;
    this.sent = 0;
    /** @type {Map<number, BrokeredCall>} */
    this.calls = new Map();
    /** @type {Error | null} */
    this.failure = null;
  }

  /** @type {Client['ask']} */
  ask(payload, waiting) {
    if (this.failure) return waiting.reject(this.failure);
    this.sent += 1;
    const call = new BrokeredCall(this, this.sent, waiting);
    this.calls.set(call.number, call);
    try {
      this.send(payload, call);
    } catch (error) {
      this.refuse(call.number, /** @type {Error} */ (error));
    }
  }

  /** @param {number} number of the request @param {Buffer} payload a part or the whole of its reply */
  take(number, payload) {
    const call = this.calls.get(number);
    // A request that has its reply waits for the acknowledgement alone.
    if (!call || call.reply) return this.onStray();
    if (call.waiting.onChunk && payload.length > 0) return call.waiting.onChunk(payload);
    call.replied(payload);
  }

  /** @param {number} number of the request @param {Error} error of this request alone */
  refuse(number, error) {
    const call = this.calls.get(number);
    this.calls.delete(number);
    call?.waiting.reject(error);
  }

  /** @param {Error} error that ended the connection */
  fail(error) {
    this.failure ??= error;
    for (const {waiting} of this.calls.values()) waiting.reject(error);
    this.calls.clear();
  }
}

/** @param {string} broker such as `NATS server` @param {Error} cause of a request without an acknowledgement */
export function unacknowledged(broker, cause) {
  return new RunError(`The ${broker} acknowledged no request: ${cause.message}.`, {
    code: 'PB_CONNECTION_LOST',
    cause,
  });
}
