/**
 * @import {Abandonable} from '../transports/transport.js'
 *
 * @typedef {{take(slot: RequestSlot, reply: unknown): void, fail(error: unknown): void}} SlotOwner the window that a slot belongs to
 */

/** One slot of a request window. The slot itself is the callback object for its reply, so a request allocates nothing. */
export class RequestSlot {
  onChunk = null;
  /** Whether its request was given up. A reply or an error that arrives later is ignored. */
  #isGivenUp = false;

  /**
   * @param {SlotOwner} window
   * @param {number} index
   */
  constructor(window, index) {
    this.window = window;
    this.index = index;
    /** The payload of the request in flight. Each slot has payloads of its own. */
    this.payloadIndex = -1;
    this.sequence = 0;
    /** When the request in flight was sent; 0 when the slot is free. */
    this.since = 0;
    /** Duration and number of the earlier attempts of the same request. */
    this.spentMs = 0;
    this.attempts = 0;
    /** The request in flight, of a client that can abandon it. @type {Abandonable | null} */
    this.exchange = null;
  }

  /**
   * Moves on to the next payload of this slot.
   * @param {number} slotCount
   * @param {number} payloadCount
   */
  nextPayload(slotCount, payloadCount) {
    const next = this.payloadIndex + slotCount;
    this.payloadIndex = this.payloadIndex >= 0 && next < payloadCount ? next : this.index;
  }

  /** @param {unknown} reply */
  resolve(reply) {
    if (!this.#isGivenUp) this.window.take(this, reply);
  }

  /** @param {Error} error */
  reject(error) {
    if (!this.#isGivenUp) this.window.fail(error);
  }

  /** @returns {RequestSlot} the slot that replaces this one */
  giveUp() {
    this.#isGivenUp = true;
    const successor = new RequestSlot(this.window, this.index);
    successor.payloadIndex = this.payloadIndex;
    return successor;
  }
}
