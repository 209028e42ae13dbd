import {frameHeaderBytes} from '../tcp/frames.js';

/** @import {End, Outbox} from './end.js' */

/** What waits here has not reached its frame's header yet. */
const nothing = -1;

/** The frames for one peer. What finds no room waits here. */
export class Sender {
  /**
   * @param {Outbox} outbox
   * @param {{onWaiting: () => void, onError: (error: Error) => void}} callbacks onWaiting: something begins to wait; onError: the outbox failed, and
   *   the peer was given up
   */
  constructor(outbox, {onWaiting, onError}) {
    this.outbox = outbox;
    this.onWaiting = onWaiting;
    this.onError = onError;
    /** @type {{payload: Buffer, sent: number, isOwn: boolean}[]} sent: bytes of the payload that were handed over; isOwn: nobody else changes it */
    this.waiting = [];
    this.waitingBytes = 0;
    this.isGivenUp = false;
    /** @type {(() => void)[]} */
    this.onDrained = [];
  }

  /** @param {Buffer} payload not changed by the caller until it was handed over, or until `keepOwn` @returns {boolean} false: it waits */
  send(payload) {
    if (this.isGivenUp) return true;
    const sent = this.waiting.length === 0 ? this.#handOver(payload, nothing, 0) : nothing;
    if (sent === payload.length || this.isGivenUp) return true;
    this.waiting.push({payload, sent, isOwn: false});
    this.waitingBytes += payload.length;
    this.onWaiting();
    return false;
  }

  /** @param {number} waitMs for room @returns {boolean} whether anything was handed over */
  flush(waitMs) {
    let isFirst = true;
    while (this.waiting.length > 0) {
      const [first] = this.waiting;
      const sent = this.#handOver(first.payload, first.sent, isFirst ? waitMs : 0);
      if (this.isGivenUp) return true;
      const hasMoved = sent !== first.sent;
      first.sent = sent;
      if (sent !== first.payload.length) return hasMoved || !isFirst;
      this.waiting.shift();
      this.waitingBytes -= first.payload.length;
      isFirst = false;
    }
    for (const resolve of this.onDrained.splice(0)) resolve();
    return true;
  }

  /** @returns {Promise<void>} resolves when nothing waits any more, and when the peer is given up */
  drained() {
    if (this.waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.onDrained.push(resolve));
  }

  /** From now on the callers may change the payloads that wait. */
  keepOwn() {
    for (const one of this.waiting) {
      if (one.isOwn) continue;
      one.payload = Buffer.from(one.payload);
      one.isOwn = true;
    }
  }

  /** The peer is gone: what waits is dropped, and so is what follows. */
  giveUp() {
    if (this.isGivenUp) return;
    this.isGivenUp = true;
    this.waiting = [];
    this.waitingBytes = 0;
    for (const resolve of this.onDrained.splice(0)) resolve();
    this.outbox.close();
  }

  /** @param {Buffer} payload @param {number} sent @param {number} waitMs @returns {number} the bytes that are handed over now */
  #handOver(payload, sent, waitMs) {
    const {outbox} = this;
    let at = sent;
    do {
      const isBegin = at === nothing;
      const from = isBegin ? 0 : at;
      const to = Math.min(payload.length, from + outbox.maxBytes - (isBegin ? frameHeaderBytes : 0));
      if (!this.#offer(isBegin ? payload.length : null, payload, from, to, waitMs)) return at;
      at = to;
    } while (at < payload.length);
    return at;
  }

  /** @type {Outbox['send']} */
  #offer(header, payload, from, to, waitMs) {
    try {
      return this.outbox.send(header, payload, from, to, waitMs);
    } catch (error) {
      this.giveUp();
      this.onError(/** @type {Error} */ (error));
      return false;
    }
  }
}

/** The event loop has a turn at least this often, for its timers, signals and the control channel. */
const maxWaitMs = 5;
/** A peer may wait for room as well. */
const maxWaitForRoomMs = 1;
/** The event loop has a turn after so many messages. */
const maxMessagesPerTurn = 64;

/**
 * @typedef {object} Conditions
 * @property {() => boolean} isNeeded whether something is expected
 * @property {() => boolean} mayWait whether this process has nothing else to do
 * @property {() => boolean} isForOne whether there is one peer
 * @property {(error: Error) => void} onError this end failed
 */

/**
 * Sends and receives in turns of the event loop. Node.js cannot be woken by what these transports use, so a turn waits inside the kernel where nothing
 * else is to be done, and asks without waiting where something is.
 */
export class Pump {
  /** @type {Set<Sender>} those with something that waits */
  #behind = new Set();

  /**
   * @param {End} end
   * @param {(peer: number, bytes: Buffer) => void} take
   * @param {Conditions} conditions
   */
  constructor(end, take, {isNeeded, mayWait, isForOne, onError}) {
    this.end = end;
    this.take = take;
    this.isNeeded = isNeeded;
    this.mayWait = mayWait;
    this.isForOne = isForOne;
    this.onError = onError;
    this.isRunning = false;
    this.isStopped = false;
    this.onTurn = () => this.#turn();
  }

  start() {
    if (this.isRunning || this.isStopped) return;
    this.isRunning = true;
    setImmediate(this.onTurn);
  }

  stop() {
    this.isStopped = true;
  }

  /** @param {Sender} sender with something that waits */
  flushLater(sender) {
    this.#behind.add(sender);
    this.start();
  }

  #turn() {
    this.isRunning = false;
    if (this.isStopped) return;
    try {
      if (this.#behind.size > 0) this.#sendAndReceive();
      else if (this.isNeeded()) this.#receive(this.mayWait() ? maxWaitMs : 0);
    } catch (error) {
      this.stop();
      return this.onError(/** @type {Error} */ (error));
    }
    if (this.#behind.size > 0 || this.isNeeded()) this.start();
  }

  #sendAndReceive() {
    let hasMoved = this.#receive(0);
    for (const sender of this.#behind) hasMoved = sender.flush(0) || hasMoved;
    if (!hasMoved && this.mayWait()) this.#waitForRoom();
    for (const sender of this.#behind) if (sender.waiting.length === 0) this.#behind.delete(sender);
  }

  /** Several peers must not wait for the one that does not read. */
  #waitForRoom() {
    if (!this.isForOne()) this.#receive(maxWaitForRoomMs);
    else for (const sender of this.#behind) sender.flush(maxWaitForRoomMs);
  }

  /** @param {number} waitMs @returns {boolean} whether something came */
  #receive(waitMs) {
    let count = 0;
    while (count < maxMessagesPerTurn && this.end.receive(count === 0 ? waitMs : 0, this.take)) {
      count += 1;
      if (this.isStopped || !this.isNeeded()) break;
    }
    return count > 0;
  }
}
