import {LRUCache} from 'lru-cache';

const mostEntries = 256;
const mostBytes = 64 * 1024 * 1024;

/**
 * The cache of a client: replies by key, of which the least recently used gives way when it is full. All replies are equally long, so that
 * a number of entries bounds the bytes. Beside it stands which keys are in it, so that one of them can be asked for again.
 */
export class CachedReplies {
  /** @param {number} payloadBytes */
  constructor(payloadBytes) {
    this.capacity = Math.max(1, Math.min(mostEntries, Math.floor(mostBytes / payloadBytes)));
    /** @type {string | null} */
    this.evicted = null;
    /** @type {LRUCache<string, Buffer>} */
    this.cache = new LRUCache({
      max: this.capacity,
      dispose: (_reply, key) => {
        this.evicted = key;
      },
    });
    /** What is in the cache, by the number of its request. @type {number[]} */
    this.numbers = [];
    /** The places among them. @type {Map<string, number>} */
    this.places = new Map();
  }

  /** The key of what a request asks for. It is a new string each time, as a client makes it: looking it up includes hashing it. @param {number} number */
  keyOf(number) {
    return `item:${number}`;
  }

  /** @param {number} share in [0, 1) @returns {number} of one of the requests whose reply is in the cache */
  pick(share) {
    return this.numbers[Math.floor(share * this.numbers.length)];
  }

  /** Whether there is anything to ask for again. */
  get isEmpty() {
    return this.numbers.length === 0;
  }

  /** A reply was put into the cache: it takes the place of the one that gave way. @param {string} key @param {number} number */
  note(key, number) {
    const place = this.#freePlace();
    this.numbers[place] = number;
    this.places.set(key, place);
  }

  #freePlace() {
    const {evicted} = this;
    if (evicted === null) return this.numbers.length;
    const place = /** @type {number} */ (this.places.get(evicted));
    this.places.delete(evicted);
    this.evicted = null;
    return place;
  }
}
