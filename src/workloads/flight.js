import {performance} from 'node:perf_hooks';
import {setImmediate as breathe} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {breatheEveryMs, noCounts} from './load.js';

/** So many windows of requests without a single reply between them, and the server is given up. */
const mostTimeoutsInARow = 3;

/**
 * Requests in flight, up to a window of them: as soon as a reply is in the next request goes. Each place in the window is a small loop of
 * its own; one watch over all of them notices what outlives the timeout.
 */
export class Flight {
  /**
   * @param {import('./index.js').WorkloadContext} context
   * @param {number} window
   * @param {{recorder: import('../measure/recorder.js').Recorder, check: import('../payload/message-check.js').MessageCheck}} means
   */
  constructor(context, window, {recorder, check}) {
    this.context = context;
    this.ring = context.ring;
    this.client = context.connection.client;
    this.canAbandon = this.client.abandon !== undefined;
    this.recorder = recorder;
    this.check = check;
    this.places = Array.from({length: window}, (_, index) => new Place(index));
    this.counts = {...noCounts};
    /** @type {string | null} what was wrong with the first reply that was */
    this.mismatch = null;
    this.highest = -1;
    this.started = 0;
    this.unanswered = 0;
    this.active = 0;
    /** @type {import('./load.js').Until} */
    this.until = {samples: 0, atMs: 0};
    this.breathedAt = 0;
    /** @type {Promise<void> | null} */
    this.breath = null;
  }

  /** Forgets what was counted. */
  restart() {
    this.counts = {...noCounts};
    this.mismatch = null;
    this.highest = -1;
  }

  /**
   * Keeps the window full until the end, then waits for what is in flight.
   * @param {import('./load.js').Until} until counts requests of this call
   * @throws {RunError} PB_NO_REPLY, or what the transport rejects with when its connection dies
   */
  async run(until) {
    const {signal} = this.context;
    this.started = 0;
    this.unanswered = 0;
    this.until = until;
    this.active = 0;
    this.breathedAt = performance.now();
    let onAbort = () => {};
    const done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, {once: true});
      if (signal.aborted) onAbort();
    });
    const watch = this.#watch();
    try {
      for (const place of this.places) this.#occupy(place, {spentMs: 0, attempts: 0});
      await done;
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
      for (const place of this.places) place.abandon();
    }
  }

  /** @param {Place} place @param {Attempt} attempt */
  #occupy(place, attempt) {
    this.active += 1;
    const {generation} = place;
    this.#work(place, generation, attempt).then(
      (isOurs) => {
        if (isOurs) this.#leave();
      },
      // What happens to a request that was given up is nobody's any more.
      (error) => place.generation === generation && this.reject?.(error),
    );
  }

  #leave() {
    this.active -= 1;
    if (this.active === 0) this.resolve?.(undefined);
  }

  /**
   * The hot loop. With one request in flight the reply is looked at before the next goes; with several, where there is no moment at which nothing
   * is timed, the next goes first.
   * @param {Place} place
   * @param {number} generation
   * @param {Attempt} attempt of the first request; the others are new
   * @returns {Promise<boolean>} false: the watch gave this place to another
   */
  async #work(place, generation, attempt) {
    const {recorder} = this;
    const isAhead = this.places.length > 1;
    let {spentMs} = attempt;
    let now = performance.now();
    if (spentMs === 0 && !this.#mayStart(now)) return true;
    place.attempts = attempt.attempts;
    place.spentMs = spentMs;
    let answer = this.#send(place, now);
    for (;;) {
      const {sequence, slot, since} = place;
      const reply = await answer;
      now = performance.now();
      if (place.generation !== generation) return false;
      const elapsedMs = now - since + spentMs;
      place.since = 0;
      place.attempts = 0;
      place.spentMs = 0;
      spentMs = 0;
      const goesOn = this.#mayStart(now);
      const rests = now - this.breathedAt >= breatheEveryMs;
      if (goesOn && isAhead && !rests) answer = this.#send(place, now);
      recorder.record(elapsedMs);
      this.#take(reply, sequence, slot);
      if (!goesOn) return true;
      if (rests) await this.#breathe();
      if (!isAhead || rests) answer = this.#send(place, performance.now());
    }
  }

  /** @param {number} now @returns {boolean} whether one more may be started, which then counts as started */
  #mayStart(now) {
    if (now >= this.until.atMs || this.started >= this.until.samples) return false;
    this.started += 1;
    return true;
  }

  /** @param {Place} place @param {number} now @returns {Promise<Buffer>} */
  #send(place, now) {
    const {ring} = this;
    place.sequence = ring.taken;
    place.turnSlot(this.places.length, ring.payloads.length);
    place.since = now;
    const answer = this.client.request(ring.take(place.slot));
    // A promise that is kept keeps its reply, and that the whole chunk which it came in.
    if (this.canAbandon) place.reply = answer;
    return answer;
  }

  /** All places wait for the same turn of the event loop: one of them alone would not make it turn. */
  #breathe() {
    this.breath ??= breathe().then(() => {
      this.breathedAt = performance.now();
      this.breath = null;
    });
    return this.breath;
  }

  /** @param {Buffer} reply @param {number} sequence @param {number} slot */
  #take(reply, sequence, slot) {
    this.unanswered = 0;
    const {counts} = this;
    counts.received += 1;
    if (sequence < this.highest) counts.reordered += 1;
    else this.highest = sequence;
    try {
      if (this.check.check(reply, sequence, slot)) counts.verified += 1;
    } catch (error) {
      counts.corrupted += 1;
      this.mismatch ??= /** @type {Error} */ (error).message;
    }
  }

  #watch() {
    const {timeoutMs} = this.context.options;
    return setInterval(
      () => {
        const now = performance.now();
        for (const place of this.places) {
          if (place.since > 0 && now - place.since >= timeoutMs) this.#timeOut(place, now);
        }
      },
      Math.max(1, Math.min(1000, timeoutMs / 8)),
    );
  }

  /**
   * A request has outlived the timeout: it is sent again, or lost. A reply that comes late names a request that nobody waits for.
   * @param {Place} place
   * @param {number} now
   */
  #timeOut(place, now) {
    const {counts} = this;
    const {retries, timeoutMs} = this.context.options;
    counts.timedOut += 1;
    this.unanswered += 1;
    const spentMs = place.spentMs + now - place.since;
    const {attempts} = place;
    if (place.reply) this.client.abandon?.(place.reply);
    place.abandon();
    if (this.unanswered >= mostTimeoutsInARow * this.places.length * (1 + retries)) {
      const message = `${this.unanswered} requests in a row had no reply within ${timeoutMs} ms (--timeout).`;
      return this.reject?.(new RunError(message, {code: 'PB_NO_REPLY'}));
    }
    if (attempts < retries) {
      counts.retried += 1;
      this.#occupy(place, {spentMs, attempts: attempts + 1});
    } else {
      counts.lost += 1;
      this.recorder.record(spentMs);
      this.#occupy(place, {spentMs: 0, attempts: 0});
    }
    this.#leave();
  }
}

/** @typedef {{spentMs: number, attempts: number}} Attempt spentMs: on earlier attempts */

/** One place in the window. */
class Place {
  /** @param {number} index */
  constructor(index) {
    this.index = index;
    /** The payload of the request that is in flight: every place has some of its own. */
    this.slot = -1;
    this.sequence = 0;
    /** Whoever works here knows by it that the place is still his. */
    this.generation = 0;
    /** When the request that is in flight was sent; 0: none is. */
    this.since = 0;
    this.spentMs = 0;
    this.attempts = 0;
    /** @type {Promise<Buffer> | null} */
    this.reply = null;
  }

  /**
   * The next payload of those that are this place's.
   * @param {number} places
   * @param {number} slots
   */
  turnSlot(places, slots) {
    this.slot = this.slot >= 0 && this.slot + places < slots ? this.slot + places : this.index;
  }

  abandon() {
    this.generation += 1;
    this.since = 0;
    this.reply?.catch(() => {});
    this.reply = null;
  }
}
