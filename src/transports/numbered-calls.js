import {RunError} from '../errors.js';
import {Life} from '../net/life.js';

/** @import {Waiting} from './transport.js' */

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
    this.life = new Life();
    /** Rejects when the connection is lost. */
    this.closed = this.life.lost;
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
    this.life.fail(error);
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
