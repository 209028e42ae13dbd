import {RunError} from '../errors.js';

/**
 * @import {CodeOf} from '../errors.js'
 * @import {Client, Correlation, Waiting} from './transport.js'
 */

/**
 * The requests of a connection that wait for replies. A correlation matches replies by ids; without it, replies arrive in the order of the
 * requests. When the connection is lost, all requests fail.
 */
export class PendingReplies {
  /** @param {string} lostMessage for a connection that ends without an error @param {Correlation | null} [correlation] */
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

  /** @param {Buffer} request that was sent just before @param {Waiting} waiting */
  add(request, waiting) {
    if (this.failure) waiting.reject(this.failure);
    else this.waiting.add(request, waiting);
  }

  /** @param {Buffer} reply */
  take(reply) {
    this.waiting.take(reply);
  }

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

  /** Ends a connection that the client closes: waiting requests fail, and `closed` resolves. */
  finish() {
    if (this.failure || this.finished) return;
    this.finished = true;
    this.resolveClosed?.();
    for (const waiting of this.waiting.removeAll())
      waiting.reject(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
  }
}

/** Requests by order: a reply belongs to the oldest request. */
class ByOrder {
  constructor() {
    /** A ring buffer that doubles when it is full. @type {(Waiting | undefined)[]} */
    this.ring = new Array(16).fill(undefined);
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

/** The ids of outstanding requests are close to each other. So nearly every id has its own slot in a table of this size. */
const slots = 4096;
/** Selects an id's slot by its lowest bits: an id may be too large for the fast modulo of small integers. */
const slotMask = slots - 1;

/** Requests by id: a reply has the id of its request. */
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

/** Makes a client's `request` from its `ask`. @param {Client['ask']} ask @returns {Client['request']} */
export function promised(ask) {
  return (payload, parts) =>
    new Promise((resolve, reject) => ask(payload, {resolve, reject, onChunk: parts?.onChunk ?? null}));
}
