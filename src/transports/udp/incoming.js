import {distance} from './datagram.js';

/**
 * The receiving half of a session: puts the datagrams in order, drops duplicates, and keeps at most a window of them.
 */
export class Incoming {
  /** @param {{first: number, window: number, onContent: (content: Buffer) => void}} options window: a power of two */
  constructor({first, window, onContent}) {
    this.onContent = onContent;
    this.window = window;
    this.mask = window - 1;
    /** The number of the next datagram that has not arrived. */
    this.next = first;
    /** The number of the next one to hand over. */
    this.handed = first;
    /** What arrived and was not handed over, by its number. @type {(Buffer | null)[]} */
    this.slots = new Array(window).fill(null);
    /** How many of them arrived before an earlier one. */
    this.early = 0;
    this.isPaused = false;
  }

  /** How many datagrams from `next` on can be kept. */
  get room() {
    return this.window - distance(this.next, this.handed);
  }

  /**
   * @param {number} sequence
   * @param {Buffer} content
   * @returns {boolean} whether it was expected next, and nothing had arrived before it. Otherwise the sender needs an acknowledgement at once
   *   (RFC 5681, section 4.2)
   */
  accept(sequence, content) {
    const {slots, mask} = this;
    const ahead = distance(sequence, this.next);
    const isRepeated = ahead < 0 || slots[sequence & mask] !== null;
    if (isRepeated || distance(sequence, this.handed) >= this.window) return false;
    slots[sequence & mask] = content;
    if (ahead > 0) {
      this.early += 1;
      return false;
    }
    this.next = (this.next + 1) >>> 0;
    const isPlain = this.early === 0;
    while (this.early > 0 && slots[this.next & mask] !== null) {
      this.early -= 1;
      this.next = (this.next + 1) >>> 0;
    }
    return isPlain;
  }

  /** Hands over what is in order, unless paused. @throws what `onContent` throws */
  handOver() {
    while (this.handed !== this.next && !this.isPaused) {
      const slot = this.handed & this.mask;
      const content = /** @type {Buffer} */ (this.slots[slot]);
      this.slots[slot] = null;
      this.handed = (this.handed + 1) >>> 0;
      this.onContent(content);
    }
  }
}
