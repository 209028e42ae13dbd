const bitsPerChunk = 65_536;

/**
 * Tracks the received sequence numbers of one sender: the exact counts of distinct, duplicated and reordered numbers (RFC 4737). While no
 * number is missing it stores only the next number; after a gap it stores a bit for each number.
 */
export class SequenceTracker {
  /** @param {number} [first] the first number */
  constructor(first = 0) {
    /** All numbers below this one were received. */
    this.frontier = first;
    this.highest = first - 1;
    this.distinct = 0;
    this.duplicated = 0;
    this.reordered = 0;
    /** @type {Map<number, Uint8Array>} */
    this.chunks = new Map();
  }

  /** @param {number} sequence @returns {boolean} whether it is the first with this number */
  add(sequence) {
    if (sequence === this.frontier && sequence > this.highest) {
      this.frontier += 1;
      this.highest = sequence;
      this.distinct += 1;
      return true;
    }
    return this.#addOutOfOrder(sequence);
  }

  /** @param {number} sequence */
  #addOutOfOrder(sequence) {
    if (sequence < this.frontier || this.#mark(sequence)) {
      this.duplicated += 1;
      return false;
    }
    this.distinct += 1;
    if (sequence < this.highest) this.reordered += 1;
    else this.highest = sequence;
    this.#advance();
    return true;
  }

  /** @param {number} sequence @returns {boolean} whether it was marked already */
  #mark(sequence) {
    const index = Math.floor(sequence / bitsPerChunk);
    let chunk = this.chunks.get(index);
    if (!chunk) {
      chunk = new Uint8Array(bitsPerChunk / 8);
      this.chunks.set(index, chunk);
    }
    const bit = sequence % bitsPerChunk;
    const was = (chunk[bit >> 3] & (1 << (bit & 7))) !== 0;
    chunk[bit >> 3] |= 1 << (bit & 7);
    return was;
  }

  /** Moves the frontier over the received numbers, and drops the chunks below it. */
  #advance() {
    for (;;) {
      const index = Math.floor(this.frontier / bitsPerChunk);
      const chunk = this.chunks.get(index);
      const bit = this.frontier % bitsPerChunk;
      if (!chunk || (chunk[bit >> 3] & (1 << (bit & 7))) === 0) return;
      this.frontier += 1;
      if (this.frontier % bitsPerChunk === 0) this.chunks.delete(index);
    }
  }
}
