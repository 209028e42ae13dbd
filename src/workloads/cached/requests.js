import {performance} from 'node:perf_hooks';
import {setImmediate as yieldToEvents} from 'node:timers/promises';
import {Recorder} from '../../measure/recorder.js';
import {MessageCheck} from '../../payload/message-check.js';
import {randomSource} from '../../payload/random.js';
import {yieldEveryMs} from '../load.js';
import {HitMix} from './mix.js';
import {CachedReplies} from './replies.js';

/**
 * @import {Watch} from '../attempts.js'
 * @import {WorkloadContext} from '../workload.js'
 * @import {Until} from '../load.js'
 * @import {Cache, CacheLimits, CacheName} from './cache.js'
 */

/**
 * @typedef {{hitRatio: number, cacheIn: CacheName, answer: 'echo' | 'increment', verify: number, retries: number}} CacheSettings
 */

/** Requests through the cache, one after the other. On a miss the server is asked, and its reply is stored. */
export class CachedRequests {
  /** @param {WorkloadContext<CacheSettings>} context @param {(limits: CacheLimits) => Cache} openCache */
  constructor(context, openCache) {
    const {options, ring} = context;
    this.context = context;
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
    /** The number of the last request, and the payload that was sent for it. */
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

  /** Resets all counts and starts to mix hits and misses, with a new block. */
  restart() {
    this.mix = this.asAsked;
    this.mix.restart();
    this.hit.reset();
    this.miss.reset();
    this.verified = 0;
  }

  /**
   * The hot loop. Each lookup is timed by itself, because a mean over a batch would hide slow ones, such as one during a garbage collection.
   * The time of a miss does not include making the payload.
   * @param {Until} until
   * @param {Watch} watch
   * @param {number} spentMs
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

  /** Chooses the next request: a cached one, each with the same probability, or a new one, which is named by its number. */
  #choose() {
    const {replies} = this;
    const isHit = this.mix.next() && !replies.isEmpty;
    this.number = isHit ? replies.pick(this.random()) : this.context.ring.taken;
  }

  /** @param {Buffer} reply @param {number} number of the request that it answers */
  #checkHit(reply, number) {
    const isCompared = this.hit.count % this.context.options.verify === 0;
    (isCompared ? this.check : this.outlineCheck).check(reply, number);
    if (isCompared) this.verified += 1;
  }
}
