import {RunError} from '../errors.js';

/** @import {Correlation, Waiting} from './transport.js' */

/** Request numbers have 32 bits. */
const maxNumber = 2 ** 32 - 1;

/**
 * The requests of a connection whose messages carry request numbers, so that replies may come in any order. When the connection is lost,
 * all requests fail.
 */
export class NumberedCalls {
  constructor() {
    /** @type {Map<number, NumberedCall>} */
    this.waiting = new Map();
    this.count = 0;
    /** @type {Error | null} */
    this.failure = null;
    /** @type {Promise<never>} rejects when the connection is lost */
    this.closed = new Promise((_, reject) => {
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
  }

  /** @param {Waiting} waiting @returns {NumberedCall | null} null: the connection has ended, and the request failed */
  add(waiting) {
    if (this.failure) {
      waiting.reject(this.failure);
      return null;
    }
    this.count = (this.count % maxNumber) + 1;
    const call = new NumberedCall(this, this.count, waiting);
    this.waiting.set(this.count, call);
    return call;
  }

  /** @param {number} number of a request, which may have been abandoned @param {Buffer} part of its reply, not the last one */
  takePart(number, part) {
    this.waiting.get(number)?.waiting.onChunk?.(part);
  }

  /** @param {number} number of a request, which may have been abandoned @param {Buffer} reply or its last part */
  take(number, reply) {
    const waiting = this.#remove(number);
    waiting?.resolve(reply);
  }

  /** @param {number} number of a request, which may have been abandoned @param {Error} error of this request alone */
  reject(number, error) {
    const waiting = this.#remove(number);
    waiting?.reject(error);
  }

  /** @param {Error} error */
  fail(error) {
    if (this.failure) return;
    this.rejectClosed?.(error);
    this.#end(error);
  }

  /** Ends a connection that the client closes. */
  finish() {
    if (!this.failure) this.#end(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
  }

  /** @param {number} number */
  #remove(number) {
    const call = this.waiting.get(number);
    if (!call) return undefined;
    this.waiting.delete(number);
    call.waiting.exchange = null;
    return call.waiting;
  }

  /** @param {Error} error */
  #end(error) {
    this.failure = error;
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const {waiting} of all) waiting.reject(error);
  }
}

export class NumberedCall {
  /** @param {NumberedCalls} calls @param {number} number @param {Waiting} waiting */
  constructor(calls, number, waiting) {
    this.calls = calls;
    this.number = number;
    this.waiting = waiting;
    waiting.exchange = this;
  }

  abandon() {
    this.calls.waiting.delete(this.number);
  }
}

/** The requests of a client, by the correlation id that a message and its reply carry. */
export class CorrelatedCalls {
  /** @param {Correlation | null} correlation */
  constructor(correlation) {
    this.onStray = correlation?.onStray ?? (() => {});
    this.sent = 0;
    /** @type {Map<string, Waiting>} */
    this.waiting = new Map();
    /** @type {Error | null} */
    this.failure = null;
  }

  /** @param {Waiting} waiting @returns {string | null} null: the connection has ended, and the request failed */
  add(waiting) {
    if (this.failure) {
      waiting.reject(this.failure);
      return null;
    }
    this.sent += 1;
    const id = String(this.sent);
    this.waiting.set(id, waiting);
    return id;
  }

  /** @param {string} id @param {Buffer} payload a part or the whole of a reply */
  take(id, payload) {
    const call = this.waiting.get(id);
    if (!call) return this.onStray();
    if (call.onChunk && payload.length > 0) return call.onChunk(payload);
    this.waiting.delete(id);
    call.resolve(payload);
  }

  /** @param {string} id @param {Error} error of this request alone */
  refuse(id, error) {
    const call = this.waiting.get(id);
    this.waiting.delete(id);
    call?.reject(error);
  }

  /** @param {Error} error that ended the connection */
  fail(error) {
    this.failure ??= error;
    for (const call of this.waiting.values()) call.reject(error);
    this.waiting.clear();
  }
}

/** A request in flight. Its round trip ends when both the reply and the broker's acknowledgement of the request have arrived. */
class AcknowledgedCall {
  /** @param {AcknowledgedCalls} owner @param {number} number @param {Waiting} waiting */
  constructor(owner, number, waiting) {
    this.owner = owner;
    this.number = number;
    this.waiting = waiting;
    this.isAcknowledged = owner.isAcknowledged;
    /** @type {Buffer | null} */
    this.reply = null;
  }

  acknowledged() {
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

/** The requests of a client whose messages carry request numbers and are acknowledged by a broker. */
export class AcknowledgedCalls {
  /**
   * @param {{correlation: Correlation | null, isAcknowledged?: boolean}} options isAcknowledged: true: the broker acknowledges nothing; default false
   */
  constructor({correlation, isAcknowledged = false}) {
    this.onStray = correlation?.onStray ?? (() => {});
    this.isAcknowledged = isAcknowledged;
    this.sent = 0;
    /** @type {Map<number, AcknowledgedCall>} */
    this.calls = new Map();
    /** @type {Error | null} */
    this.failure = null;
  }

  /** @param {Waiting} waiting @returns {AcknowledgedCall} the request with the number `sent` */
  add(waiting) {
    this.sent += 1;
    const call = new AcknowledgedCall(this, this.sent, waiting);
    this.calls.set(this.sent, call);
    return call;
  }

  /** @param {number} number of the request @param {Buffer} payload a part or the whole of its reply */
  take(number, payload) {
    const call = this.calls.get(number);
    // A request that has its reply waits for the acknowledgement alone.
    if (!call || call.reply) return this.onStray();
    if (call.waiting.onChunk && payload.length > 0) return call.waiting.onChunk(payload);
    call.replied(payload);
  }

  /** @param {number} number of the request, which the broker refused @param {Error} error */
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
