import {performance} from 'node:perf_hooks';
import {setImmediate as yieldToEvents} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {Recorder} from '../../measure/recorder.js';
import {MessageCheck} from '../../payload/message-check.js';
import {randomSource} from '../../payload/random.js';
import {yieldEveryMs} from '../load.js';

/**
 * @import {Answer} from '../../payload/message-check.js'
 * @import {Timeouts} from '../attempts.js'
 * @import {Until, Watch, WorkloadContext} from '../workload.js'
 */

/** @typedef {{hitRatio: number, cacheIn: CacheName, answer: Answer, verify: number, retries: number}} CacheSettings */

/** Consecutive requests through the cache. On a miss, the server is asked, and its reply is stored. */
export class CachedRequests {
  /** @param {WorkloadContext<CacheSettings>} context @param {{openCache: (limits: CacheLimits) => Cache, timeouts: Timeouts}} deps */
  constructor(context, {openCache, timeouts}) {
    const {options, ring} = context;
    this.context = context;
    this.timeouts = timeouts;
    this.replies = new CachedReplies(ring.payloadBytes, openCache);
    const random = randomSource(options.seed, `cache of client ${options.client ?? 0}`);
    this.random = random;
    this.allMisses = new HitMix(0, random);
    this.asAsked = new HitMix(options.hitRatio, random);
    this.mix = this.allMisses;
    this.hit = new Recorder();
    this.miss = new Recorder();
    this.check = new MessageCheck(ring, {answer: options.answer, every: 1});
    this.outlineCheck = new MessageCheck(ring, {answer: options.answer, every: Number.POSITIVE_INFINITY});
    this.verified = 0;
    /** Number and payload of the last request. */
    this.number = 0;
    this.request = ring.payloads[0];
  }

  get count() {
    return this.hit.count + this.miss.count;
  }

  get asked() {
    return this.miss.count;
  }

  /** @param {number} ms */
  lose(ms) {
    this.miss.record(ms);
  }

  close() {
    this.replies.cache.close();
  }

  /** Resets all counts and starts a new block of mixed hits and misses. */
  restart() {
    this.mix = this.asAsked;
    this.mix.restart();
    this.hit.reset();
    this.miss.reset();
    this.verified = 0;
  }

  /**
   * The hot loop. Each lookup is timed separately, because the mean of a batch would hide slow lookups, for example during a garbage collection.
   * The time of a miss does not include making the payload.
   * @param {Until} until @param {Watch} watch @param {number} spentMs
   */
  async run(until, watch, spentMs) {
    const {replies, hit, miss} = this;
    const {connection, ring} = this.context;
    const {cache} = replies;
    const {client} = connection;
    let yieldedAt = performance.now();
    let earlierMs = spentMs;
    for (;;) {
      const isAgain = earlierMs > 0;
      if (!isAgain) this.#choose();
      const {number} = this;
      const key = replies.keyOf(number);
      const before = performance.now();
      const cached = cache.get(key);
      let after = performance.now();
      if (cached) {
        hit.record(after - before);
        this.#checkHit(cached, number);
      } else {
        const lookupMs = after - before;
        if (!isAgain) this.request = ring.next();
        const sentAt = performance.now();
        const reply = await client.request(this.request);
        if (watch.abandoned) return;
        cache.set(key, reply);
        after = performance.now();
        miss.record(earlierMs + lookupMs + (after - sentAt));
        earlierMs = 0;
        replies.note(key, number);
        this.check.check(reply, number);
        this.verified += 1;
      }
      if (after >= until.atMs || this.count >= until.samples) return;
      if (after - yieldedAt >= yieldEveryMs) {
        await yieldToEvents();
        if (watch.abandoned) return;
        yieldedAt = performance.now();
      }
    }
  }

  /** Chooses the next request: a cached one, each with the same probability, or a new one with the next number. */
  #choose() {
    const {replies} = this;
    const isHit = this.mix.next() && !replies.isEmpty;
    this.number = isHit ? replies.pick(this.random()) : this.context.ring.taken;
  }

  /** @param {Buffer} reply @param {number} number of its request */
  #checkHit(reply, number) {
    const isCompared = this.hit.count % this.context.options.verify === 0;
    (isCompared ? this.check : this.outlineCheck).check(reply, number);
    if (isCompared) this.verified += 1;
  }
}

/** In a block of this many requests, the share of hits is exact to one request. Their order is random. */
const blockLength = 100;

/** Decides which requests are hits. */
export class HitMix {
  /** @param {number} hitRatio 0 to 1 @param {() => number} random uniform in [0, 1) */
  constructor(hitRatio, random) {
    this.hitRatio = hitRatio;
    this.random = random;
    this.blocks = 0;
    this.left = 0;
    this.hitsLeft = 0;
  }

  restart() {
    this.blocks = 0;
    this.left = 0;
    this.hitsLeft = 0;
  }

  /**
   * Uses selection sampling (Knuth, The Art of Computer Programming, volume 2, section 3.4.2, algorithm S): each remaining request of a block
   * is equally likely to be a hit.
   */
  next() {
    if (this.left === 0) this.#startBlock();
    const isHit = this.random() * this.left < this.hitsLeft;
    this.left -= 1;
    if (isHit) this.hitsLeft -= 1;
    return isHit;
  }

  /** A ratio without a whole number of hits per block is exact over several blocks. */
  #startBlock() {
    const perBlock = this.hitRatio * blockLength;
    const before = Math.round(this.blocks * perBlock);
    this.blocks += 1;
    this.left = blockLength;
    this.hitsLeft = Math.round(this.blocks * perBlock) - before;
  }
}

const maxEntries = 256;
const maxBytes = 64 * 1024 * 1024;

/**
 * The cached replies of a client by key. All replies have the same length, so the number of entries bounds the bytes. The class also tracks the
 * cached keys, so that a cached request can be repeated.
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
    /** Request numbers of the cached entries. @type {number[]} */
    this.numbers = [];
    /** The indices in `numbers`, by key. @type {Map<string, number>} */
    this.indices = new Map();
  }

  /**
   * Returns the key of a request. It is a new string each time, as in a real client, so that a lookup includes hashing it.
   * @param {number} number
   */
  keyOf(number) {
    return `item:${number}`;
  }

  /** @param {number} share in [0, 1) @returns {number} the number of a cached request */
  pick(share) {
    return this.numbers[Math.floor(share * this.numbers.length)];
  }

  get isEmpty() {
    return this.numbers.length === 0;
  }

  /** Tracks a stored reply, which takes the index of the evicted one. @param {string} key @param {number} number */
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

/**
 * The store for the replies of a client.
 *
 * @typedef {object} Cache
 * @property {(key: string) => Buffer | undefined} get undefined for an uncached key
 * @property {(key: string, reply: Buffer) => void} set evicts another reply if the cache is full
 * @property {() => void} close
 *
 * @typedef {'memory' | 'lmdb'} CacheName
 * @typedef {{capacity: number, onEvicted: (key: string) => void}} CacheLimits capacity: number of replies
 */

/** Opens a map in memory that evicts the least recently used reply. @param {CacheLimits} limits @returns {Cache} */
export function openMemory({capacity, onEvicted}) {
  /** @type {LRUCache<string, Buffer>} */
  const cache = new LRUCache({max: capacity, dispose: (_reply, key) => onEvicted(key)});
  // Without a wrapper, only the library's lookup is timed.
  return Object.assign(cache, {close() {}});
}
