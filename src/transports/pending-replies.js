import {RunError} from '../errors.js';

/** @import {Correlation, Waiting} from './index.js' */

/**
 * The requests of one connection that wait for their replies. Replies are matched by what they say themselves where a correlation is
 * given, else they come in the order of the requests. When the connection dies all of them fail.
 */
export class PendingReplies {
  /**
   * @param {string} lost what to say when the connection ends without an error
   * @param {Correlation | null} [correlation]
   */
  constructor(lost, correlation = null) {
    this.lost = lost;
    /** @type {ByOrder | ById} */
    this.waiting = correlation ? new ById(correlation) : new ByOrder();
    /** @type {Error | null} */
    this.failure = null;
    this.finished = false;
    /** @type {Promise<void>} rejects on an unasked death */
    this.closed = new Promise((resolve, reject) => {
      this.resolveClosed = resolve;
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
  }

  /**
   * @param {Buffer} request that was just sent
   * @param {Waiting} waiting
   */
  add(request, waiting) {
    if (this.failure) waiting.reject(this.failure);
    else this.waiting.add(request, waiting);
  }

  /** @param {Buffer} reply a message of the server; one that nobody waits for is a stray */
  take(reply) {
    this.waiting.take(reply);
  }

  /** @param {Error} [cause] */
  fail(cause) {
    if (this.failure || this.finished) return;
    this.failure = new RunError(cause ? `${this.lost} (${cause.message})` : this.lost, {
      code: 'PB_CONNECTION_LOST',
      cause,
    });
    this.rejectClosed?.(this.failure);
    for (const {reject} of this.waiting.removeAll()) reject(this.failure);
  }

  /** The connection is closed on purpose: what still waits fails, the close itself is no failure. */
  finish() {
    if (this.failure || this.finished) return;
    this.finished = true;
    this.resolveClosed?.();
    for (const {reject} of this.waiting.removeAll())
      reject(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
  }
}

/** The oldest request is answered first. */
class ByOrder {
  constructor() {
    /** A ring, of twice the length when it is full. @type {(Waiting | undefined)[]} */
    this.ring = new Array(16).fill(undefined);
    /** How many were ever added, and how many of them are answered. */
    this.added = 0;
    this.answered = 0;
  }

  /** @param {Buffer} _request @param {Waiting} waiting */
  add(_request, waiting) {
    if (this.added - this.answered === this.ring.length) this.#grow();
    this.ring[this.added % this.ring.length] = waiting;
    this.added += 1;
  }

  /** @param {Buffer} reply */
  take(reply) {
    const place = this.answered % this.ring.length;
    const first = this.ring[place];
    if (first?.onChunk && reply.length > 0) return first.onChunk(reply);
    if (!first) return;
    this.ring[place] = undefined;
    this.answered += 1;
    first.resolve(reply);
  }

  removeAll() {
    const removed = this.#inOrder();
    this.ring.fill(undefined);
    this.answered = this.added;
    return removed;
  }

  #grow() {
    const waiting = this.#inOrder();
    this.ring = [...waiting, ...new Array(waiting.length).fill(undefined)];
    this.added = waiting.length;
    this.answered = 0;
  }

  /** @returns {Waiting[]} the oldest first */
  #inOrder() {
    const first = this.answered % this.ring.length;
    return [...this.ring.slice(first), ...this.ring.slice(0, first)].filter(
      (waiting) => waiting !== undefined,
    );
  }
}

/** Requests that are outstanding together have ids close to each other: nearly all find a place of their own in a table of this size. */
const places = 4096;
/** An id's place is its lowest bits: an id may be too large for the fast modulo of small integers. */
const placeMask = places - 1;

/** A reply names its request. */
class ById {
  /** @param {Correlation} correlation */
  constructor(correlation) {
    this.correlation = correlation;
    /** The id that holds each place; -1: none. */
    this.ids = new Float64Array(places).fill(-1);
    /** @type {(Waiting | undefined)[]} */
    this.waiting = new Array(places).fill(undefined);
    /** Those whose place was taken. @type {Map<number, Waiting>} */
    this.others = new Map();
  }

  /** @param {Buffer} request @param {Waiting} waiting */
  add(request, waiting) {
    const id = this.correlation.ofRequest(request);
    const place = id & placeMask;
    if (this.ids[place] !== -1) {
      this.others.set(id, waiting);
      return;
    }
    this.ids[place] = id;
    this.waiting[place] = waiting;
  }

  /** @param {Buffer} reply */
  take(reply) {
    const id = this.correlation.ofReply(reply);
    const place = id & placeMask;
    const waiting = this.ids[place] === id ? this.waiting[place] : this.#takeOther(id);
    if (!waiting) return this.correlation.onStray();
    if (this.ids[place] === id) {
      this.ids[place] = -1;
      this.waiting[place] = undefined;
    }
    waiting.resolve(reply);
  }

  /** @param {number} id */
  #takeOther(id) {
    const waiting = this.others.get(id);
    this.others.delete(id);
    return waiting;
  }

  removeAll() {
    const removed = [...this.waiting.filter((waiting) => waiting !== undefined), ...this.others.values()];
    this.ids.fill(-1);
    this.waiting.fill(undefined);
    this.others.clear();
    return removed;
  }
}
