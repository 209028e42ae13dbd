/** @import {Cache, CacheLimits} from './cache.js' */

const maxEntries = 256;
const maxBytes = 64 * 1024 * 1024;

/**
 * The cache of a client: replies by key. All replies have the same length, so the number of entries bounds the bytes. The class also tracks which keys
 * are cached, so that one of them can be requested again.
 */
export class CachedReplies {
  /** @param {number} payloadBytes @param {(limits: CacheLimits) => Cache} openCache */
  constructor(payloadBytes, openCache) {
    this.capacity = Math.max(1, Math.min(maxEntries, Math.floor(maxBytes / payloadBytes)));
    /** @type {string | null} */
    this.evicted = null;
    this.cache = openCache({
      capacity: this.capacity,
      onEvicted: (key) => {
        this.evicted = key;
      },
    });
    /** The cached entries, by the numbers of their requests. @type {number[]} */
    this.numbers = [];
    /** The indices in `numbers`, by key. @type {Map<string, number>} */
    this.indices = new Map();
  }

  /**
   * The key of a request. It is a new string each time, as in a real client, so that a lookup includes hashing it.
   * @param {number} number
   */
  keyOf(number) {
    return `item:${number}`;
  }

  /** @param {number} share in [0, 1) @returns {number} the number of a request whose reply is cached */
  pick(share) {
    return this.numbers[Math.floor(share * this.numbers.length)];
  }

  /** Whether there is nothing that could be requested again. */
  get isEmpty() {
    return this.numbers.length === 0;
  }

  /** Tracks a reply that was stored; it takes the index of the evicted one. @param {string} key @param {number} number */
  note(key, number) {
    const index = this.#freeIndex();
    this.numbers[index] = number;
    this.indices.set(key, index);
  }

  #freeIndex() {
    const {evicted} = this;
    if (evicted === null) return this.numbers.length;
    const index = /** @type {number} */ (this.indices.get(evicted));
    this.indices.delete(evicted);
    this.evicted = null;
    return index;
  }
}
