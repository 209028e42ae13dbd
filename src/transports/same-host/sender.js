import {frameHeaderBytes} from '../tcp/frames.js';

/** @import {End, Outbox} from './end.js' */

/** The position of a message whose header was not sent yet. */
const nothing = -1;

/** Sends frames to one peer. Frames wait here while there is no room. */
export class Sender {
  /**
   * @param {Outbox} outbox
   * @param {{onWaiting: () => void, onError: (error: Error) => void}} callbacks onWaiting: a frame begins to wait; onError: the outbox failed, and
   *   the peer was given up
   */
  constructor(outbox, {onWaiting, onError}) {
    this.outbox = outbox;
    this.onWaiting = onWaiting;
    this.onError = onError;
    /**
     * @type {{payload: Buffer, sent: number, isOwn: boolean}[]} sent: how many bytes of the payload were handed over; isOwn: whether the payload is a
     *   private copy
     */
    this.waiting = [];
    this.waitingBytes = 0;
    this.isGivenUp = false;
    /** @type {(() => void)[]} */
    this.onDrained = [];
  }

  /**
   * @param {Buffer} payload the caller must not change it before it was handed over, or before `keepOwn`
   * @returns {boolean} false: the payload waits
   */
  send(payload) {
    if (this.isGivenUp) return true;
    const sent = this.waiting.length === 0 ? this.#handOver(payload, nothing, 0) : nothing;
    if (sent === payload.length || this.isGivenUp) return true;
    this.waiting.push({payload, sent, isOwn: false});
    this.waitingBytes += payload.length;
    this.onWaiting();
    return false;
  }

  /** @param {number} waitMs for room @returns {boolean} whether bytes were handed over */
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

  /** @returns {Promise<void>} resolves when no frame waits, or when the peer is given up */
  drained() {
    if (this.waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.onDrained.push(resolve));
  }

  /** Copies the waiting payloads, so that callers may change them. */
  keepOwn() {
    for (const one of this.waiting) {
      if (one.isOwn) continue;
      one.payload = Buffer.from(one.payload);
      one.isOwn = true;
    }
  }

  /** Gives up the peer: waiting and later frames are dropped. */
  giveUp() {
    if (this.isGivenUp) return;
    this.isGivenUp = true;
    this.waiting = [];
    this.waitingBytes = 0;
    for (const resolve of this.onDrained.splice(0)) resolve();
    this.outbox.close();
  }

  /** @param {Buffer} payload @param {number} sent @param {number} waitMs @returns {number} how many bytes of the payload were handed over in total */
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

/** How long a turn may wait. The event loop must run its timers, signals and the control channel. */
const maxWaitMs = 5;
/** How long a turn may wait for room, because the peer may also wait for room. */
const maxWaitForRoomMs = 1;
/** The event loop gets a turn after this number of messages. */
const maxMessagesPerTurn = 64;

/**
 * @typedef {object} Conditions
 * @property {() => boolean} isNeeded whether messages are expected
 * @property {() => boolean} mayWait whether this process has no other work
 * @property {() => boolean} isForOne whether there is exactly one peer
 * @property {(error: Error) => void} onError is called when this end fails
 */

/**
 * Sends and receives in turns of the event loop. The queues and semaphores of these transports cannot wake Node.js. So a turn waits inside
 * the kernel if there is no other work, and otherwise polls.
 */
export class Pump {
  /** @type {Set<Sender>} senders with waiting frames */
  #behind = new Set();

  /** @param {End} end @param {(peer: number, bytes: Buffer) => void} take @param {Conditions} conditions */
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

  /** @param {Sender} sender with waiting frames */
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

  /** Waits for the only peer to read. With several peers, a peer that does not read must not block the others. */
  #waitForRoom() {
    if (!this.isForOne()) this.#receive(maxWaitForRoomMs);
    else for (const sender of this.#behind) sender.flush(maxWaitForRoomMs);
  }

  /** @param {number} waitMs @returns {boolean} whether messages arrived */
  #receive(waitMs) {
    let count = 0;
    while (count < maxMessagesPerTurn && this.end.receive(count === 0 ? waitMs : 0, this.take)) {
      count += 1;
      if (this.isStopped || !this.isNeeded()) break;
    }
    return count > 0;
  }
}
