import {frameHeaderBytes} from '../tcp/frames.js';

/** @import {Outbox} from './end.js' */

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
