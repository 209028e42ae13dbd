import {RunError} from '../errors.js';

/**
 * @import {CodeOf} from '../errors.js'
 * @import {Client, Correlation, Waiting} from './transport.js'
 */

/**
 * The requests of one connection that wait for replies. With a correlation, replies are matched by their ids; otherwise they arrive in the
 * order of the requests. When the connection is lost, all of them fail.
 */
export class PendingReplies {
  /**
   * @param {string} lostMessage for a connection that ends without an error
   * @param {Correlation | null} [correlation]
   */
  constructor(lostMessage, correlation = null) {
    this.lostMessage = lostMessage;
    /** @type {ByOrder | ById} */
    this.waiting = correlation ? new ById(correlation) : new ByOrder();
    /** @type {Error | null} */
    this.failure = null;
    this.finished = false;
    /** @type {Promise<void>} rejects when the connection is lost */
    this.closed = new Promise((resolve, reject) => {
      this.resolveClosed = resolve;
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
  }

  /**
   * @param {Buffer} request that was sent just before
   * @param {Waiting} waiting
   */
  add(request, waiting) {
    if (this.failure) waiting.reject(this.failure);
    else this.waiting.add(request, waiting);
  }

  /** @param {Buffer} reply a stray when no request waits for it */
  take(reply) {
    this.waiting.take(reply);
  }

  /** How many requests wait. */
  get count() {
    return this.waiting.count;
  }

  /** @param {Error} [cause] a RunError keeps its code */
  fail(cause) {
    if (this.failure || this.finished) return;
    const code = cause instanceof RunError ? /** @type {CodeOf<1>} */ (cause.code) : 'PB_CONNECTION_LOST';
    const message = cause ? `${this.lostMessage} (${cause.message})` : this.lostMessage;
    this.failure = new RunError(message, {code, cause});
    this.rejectClosed?.(this.failure);
    for (const waiting of this.waiting.removeAll()) waiting.reject(this.failure);
  }

  /** For a connection that the client closes: waiting requests fail, and `closed` resolves. */
  finish() {
    if (this.failure || this.finished) return;
    this.finished = true;
    this.resolveClosed?.();
    for (const waiting of this.waiting.removeAll())
      waiting.reject(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
  }
}

/** A reply belongs to the oldest request. */
class ByOrder {
  constructor() {
    /** A ring buffer that doubles when it is full. @type {(Waiting | undefined)[]} */
    this.ring = new Array(16).fill(undefined);
    /** Counts of the requests that were added and of those that were answered. */
    this.added = 0;
    this.answered = 0;
  }

  get count() {
    return this.added - this.answered;
  }

  /** @param {Buffer} _request @param {Waiting} waiting */
  add(_request, waiting) {
    if (this.count === this.ring.length) this.#grow();
    this.ring[this.added % this.ring.length] = waiting;
    this.added += 1;
  }

  /** @param {Buffer} reply */
  take(reply) {
    const slot = this.answered % this.ring.length;
    const first = this.ring[slot];
    if (first?.onChunk && reply.length > 0) return first.onChunk(reply);
    if (!first) return;
    this.ring[slot] = undefined;
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

/** The ids of outstanding requests are close to each other, so that nearly every one has its own slot in a table of this size. */
const slots = 4096;
/** Selects an id's slot by its lowest bits: an id may be too large for the fast modulo of small integers. */
const slotMask = slots - 1;

/** A reply has the id of its request. */
class ById {
  /** @param {Correlation} correlation */
  constructor(correlation) {
    this.correlation = correlation;
    /** The id in each slot; -1: none. */
    this.ids = new Float64Array(slots).fill(-1);
    /** @type {(Waiting | undefined)[]} */
    this.waiting = new Array(slots).fill(undefined);
    /** Requests whose slot was occupied. @type {Map<number, Waiting>} */
    this.others = new Map();
    this.count = 0;
  }

  /** @param {Buffer} request @param {Waiting} waiting */
  add(request, waiting) {
    const id = this.correlation.ofRequest(request);
    const slot = id & slotMask;
    this.count += 1;
    if (this.ids[slot] !== -1) {
      this.others.set(id, waiting);
      return;
    }
    this.ids[slot] = id;
    this.waiting[slot] = waiting;
  }

  /** @param {Buffer} reply */
  take(reply) {
    const id = this.correlation.ofReply(reply);
    const slot = id & slotMask;
    const waiting = this.ids[slot] === id ? this.waiting[slot] : this.#takeOther(id);
    if (!waiting) return this.correlation.onStray();
    this.count -= 1;
    if (this.ids[slot] === id) {
      this.ids[slot] = -1;
      this.waiting[slot] = undefined;
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
    this.count = 0;
    return removed;
  }
}

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

/** The requests of one client whose messages have their numbers, and which a broker acknowledges. */
export class AcknowledgedCalls {
  /** @param {{correlation: Correlation | null, isAcknowledged?: boolean}} options isAcknowledged: the broker acknowledges nothing; default false */
  constructor({correlation, isAcknowledged = false}) {
    this.onStray = correlation?.onStray ?? (() => {});
    this.isAcknowledged = isAcknowledged;
    this.sent = 0;
    /** @type {Map<number, AcknowledgedCall>} */
    this.calls = new Map();
    /** @type {Error | null} */
    this.failure = null;
  }

  /** @param {Waiting} waiting @returns {AcknowledgedCall} of the request with the number `sent` */
  add(waiting) {
    this.sent += 1;
    const call = new AcknowledgedCall(waiting, this.isAcknowledged);
    this.calls.set(this.sent, call);
    return call;
  }

  /** @param {number} number of the request @param {Buffer} payload a part or the whole of its reply */
  take(number, payload) {
    const call = this.calls.get(number);
    if (!call) return this.onStray();
    if (call.waiting.onChunk && payload.length > 0) return call.waiting.onChunk(payload);
    this.calls.delete(number);
    call.replied(payload);
  }

  /** @param {number} number of the request, which the broker did not take @param {Error} error */
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

/**
 * Makes a client's `request` from its `ask`.
 * @param {Client['ask']} ask
 * @returns {Client['request']}
 */
export function promised(ask) {
  return (payload, parts) =>
    new Promise((resolve, reject) => ask(payload, {resolve, reject, onChunk: parts?.onChunk ?? null}));
}

/** @type {Client['ask']} */
const refuse = (_, waiting) => waiting.reject(new TypeError('This client is connected without a server.'));

/** What a client has that only stores messages. */
export const withoutServer = {ask: refuse, request: promised(refuse)};
