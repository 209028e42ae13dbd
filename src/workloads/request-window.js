import {performance} from 'node:perf_hooks';
import {RunError} from '../errors.js';
import {untilAborted} from '../measure/bounds.js';
import {ReplyTally} from './check-tally.js';

/**
 * @import {Recorder} from '../measure/recorder.js'
 * @import {Counts} from '../measure/types.js'
 * @import {Abandonable} from '../transports/transport.js'
 * @import {ReplyCheck, Until, WorkloadContext} from './workload.js'
 */

/** The client gives up after this many windows of requests without a single reply. */
const maxTimeoutWindows = 3;

const noFailures = {lost: 0, retried: 0, timedOut: 0};

/**
 * Keeps up to a window of requests in flight: when a reply arrives, its slot sends the next request. One timer checks all slots for
 * requests that exceed the timeout.
 */
export class RequestWindow {
  /**
   * @param {Pick<WorkloadContext<{retries: number}>, 'ring' | 'options' | 'signal'> & {connection: {client: WindowClient}}} context
   * @param {number} size maximum number of requests in flight
   * @param {{recorder: Recorder, check: ReplyCheck}} deps
   */
  constructor({connection, ring, options, signal}, size, {recorder, check}) {
    this.ring = ring;
    this.options = options;
    this.signal = signal;
    this.client = connection.client;
    this.recorder = recorder;
    /** Gets the latencies that do not count. */
    this.unseen = recorder;
    this.check = check;
    this.slots = Array.from({length: size}, (_, index) => new RequestSlot(this, index));
    this.isAhead = size > 1;
    // The bounds of a run are fields of this object and start as non-integers. If the warm-up used objects of another shape, V8 would
    // discard the compiled hot path when the measured part begins.
    this.maxSamples = Number.POSITIVE_INFINITY;
    this.endMs = Number.NEGATIVE_INFINITY;
    // The time at which a slice begins to count, then the time at which it ends.
    this.turnMs = Number.POSITIVE_INFINITY;
    this.countedMs = 0;
    this.fromMs = Number.POSITIVE_INFINITY;
    this.toMs = Number.POSITIVE_INFINITY;
    /** Gets the counted replies of a slice. */
    this.counted = {recorder, tally: new ReplyTally(check)};
    this.started = 0;
    this.unanswered = 0;
    this.active = 0;
    this.tally = new ReplyTally(check);
    this.failed = {...noFailures};
  }

  /** Resets all counts. @param {Recorder} recorder gets the latencies from now on */
  restart(recorder) {
    this.unseen = this.recorder;
    this.recorder = recorder;
    this.tally = new ReplyTally(this.check);
    this.failed = {...noFailures};
    this.countedMs = 0;
    // A slice of the warm-up has ended.
    this.fromMs = Number.POSITIVE_INFINITY;
  }

  /** @returns {Pick<Counts, 'sent' | 'received' | 'lost' | 'verified' | 'reordered' | 'corrupted' | 'retried' | 'timedOut'>} */
  get counts() {
    const {counts} = this.tally;
    return {...counts, ...this.failed, sent: counts.received + this.failed.lost};
  }

  /**
   * Keeps the window full until the end, then waits for the requests in flight.
   * @param {Until} until samples: of this call
   * @throws {RunError} PB_NO_REPLY, or the error of the transport when its connection is lost
   */
  async run(until) {
    this.started = 0;
    this.maxSamples = until.samples;
    this.endMs = until.atMs;
    this.active = this.slots.length;
    const done = new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    const watch = this.#watch();
    try {
      for (const slot of this.slots) this.#begin(slot);
      await untilAborted(done, this.signal);
    } finally {
      clearInterval(watch);
      // When a run fails, the replies of requests still in flight are ignored.
      this.slots = this.slots.map((slot) => (slot.since > 0 ? slot.giveUp() : slot));
    }
  }

  /**
   * Runs for a slice. The slice counts while the window is full: from a reply after the discarded time to the last reply within the slice. Requests
   * in flight at the beginning count, and requests in flight at the end do not. Wrong replies of the whole slice count.
   * @param {{discardMs: number, ms: number}} slice
   * @returns {Promise<{fromMs: number, toMs: number}>} the counted time, by performance.now(); infinite if no reply came in time
   */
  async runSlice({discardMs, ms}) {
    this.counted.recorder = this.recorder;
    this.counted.tally = this.tally;
    this.fromMs = Number.POSITIVE_INFINITY;
    const countsFrom = performance.now() + discardMs;
    this.turnMs = countsFrom;
    this.#discard();
    await this.run({samples: Number.POSITIVE_INFINITY, atMs: countsFrom + ms, least: 0});
    if (this.fromMs <= this.turnMs && this.turnMs === this.endMs) this.#turn(performance.now());
    this.turnMs = Number.POSITIVE_INFINITY;
    this.#count();
    return {fromMs: this.fromMs, toMs: this.toMs};
  }

  /** Begins or ends the counted part of a slice. @param {number} now */
  #turn(now) {
    if (this.fromMs < now) {
      this.countedMs += now - this.fromMs;
      this.toMs = now;
      this.turnMs = Number.POSITIVE_INFINITY;
      return this.#discard();
    }
    // The first reply came after the end of the slice.
    if (now >= this.endMs) {
      this.turnMs = Number.POSITIVE_INFINITY;
      return;
    }
    this.fromMs = now;
    this.turnMs = this.endMs;
    this.#count();
  }

  #count() {
    this.counted.tally.addErrorsOf(this.tally);
    this.recorder = this.counted.recorder;
    this.tally = this.counted.tally;
  }

  #discard() {
    this.recorder = this.unseen;
    this.tally = new ReplyTally(this.check);
  }

  /** @type {(value?: unknown) => void} */
  finish = () => {};

  /** @type {(error: unknown) => void} */
  fail = () => {};

  /**
   * The hot path. With one slot, the reply is checked before the next request is sent, so that the check is not timed. With several slots, a
   * request is always being timed, so the next request is sent first.
   * @param {RequestSlot} slot @param {unknown} reply
   */
  take(slot, reply) {
    const now = performance.now();
    const {sequence, payloadIndex} = slot;
    const elapsedMs = now - slot.since + slot.spentMs;
    const goesOn = this.#mayStart(now);
    if (goesOn && this.isAhead) this.#send(slot, now, 0, 0);
    this.recorder.record(elapsedMs);
    this.unanswered = 0;
    this.tally.take(reply, sequence, payloadIndex);
    if (now >= this.turnMs) this.#turn(now);
    if (!goesOn) this.#leave(slot);
    else if (!this.isAhead) this.#send(slot, performance.now(), 0, 0);
  }

  /** @param {RequestSlot} slot */
  #begin(slot) {
    const now = performance.now();
    if (this.#mayStart(now)) this.#send(slot, now, 0, 0);
    else this.#leave(slot);
  }

  /** @param {RequestSlot} slot a slot that has nothing more to send */
  #leave(slot) {
    slot.since = 0;
    this.active -= 1;
    if (this.active === 0) this.finish();
  }

  /** @param {number} now @returns {boolean} whether one more request may start; if so, it counts as started */
  #mayStart(now) {
    if (now >= this.endMs || this.started >= this.maxSamples) return false;
    this.started += 1;
    return true;
  }

  /** @param {RequestSlot} slot @param {number} now @param {number} spentMs @param {number} attempts earlier attempts of this request */
  #send(slot, now, spentMs, attempts) {
    const {client, ring} = this;
    slot.sequence = ring.taken;
    slot.nextPayload(this.slots.length, ring.payloads.length);
    slot.since = now;
    slot.spentMs = spentMs;
    slot.attempts = attempts;
    client.ask(ring.take(slot.payloadIndex), slot);
  }

  #watch() {
    const {timeoutMs} = this.options;
    return setInterval(
      () => {
        const now = performance.now();
        for (const slot of this.slots) {
          if (slot.since > 0 && now - slot.since >= timeoutMs) this.#timeOut(slot, now);
        }
      },
      Math.max(1, Math.min(1000, timeoutMs / 8)),
    );
  }

  /**
   * Sends a request that exceeded the timeout again, or counts it as lost. Its slot is replaced, so a late reply is ignored.
   * @param {RequestSlot} slot @param {number} now
   */
  #timeOut(slot, now) {
    const {failed, client} = this;
    const {retries, timeoutMs} = this.options;
    failed.timedOut += 1;
    this.unanswered += 1;
    const spentMs = slot.spentMs + now - slot.since;
    const {attempts} = slot;
    const successor = slot.giveUp();
    client.abandon?.(slot);
    this.slots[slot.index] = successor;
    if (this.unanswered >= maxTimeoutWindows * this.slots.length * (1 + retries)) {
      const message = `${this.unanswered} requests in a row had no reply within ${timeoutMs} ms (--timeout).`;
      return this.fail(new RunError(message, {code: 'PB_NO_REPLY'}));
    }
    if (attempts < retries) {
      failed.retried += 1;
      this.#send(successor, now, spentMs, attempts + 1);
    } else {
      failed.lost += 1;
      const isCounted = now - spentMs >= this.fromMs;
      (isCounted ? this.counted.recorder : this.recorder).record(spentMs);
      this.#begin(successor);
    }
  }
}

/**
 * @typedef {object} WindowClient the part of a client that a window needs; a reply is a message or a value decoded from it
 * @property {(request: Buffer, slot: RequestSlot) => void} ask
 * @property {(slot: RequestSlot) => void} [abandon] see `Client`
 */

/** @typedef {{take(slot: RequestSlot, reply: unknown): void, fail(error: unknown): void}} SlotOwner the window of a slot */

/** A slot of a request window. The slot itself is the callback object for its reply, so a request allocates nothing. */
export class RequestSlot {
  onChunk = null;
  /** Whether the request was given up. A reply or an error that arrives later is ignored. */
  #isGivenUp = false;

  /** @param {SlotOwner} window @param {number} index */
  constructor(window, index) {
    this.window = window;
    this.index = index;
    /** The payload of the request in flight. No two slots share a payload. */
    this.payloadIndex = -1;
    this.sequence = 0;
    /** Send time of the request in flight; 0 if the slot is free. */
    this.since = 0;
    /** Duration and number of the earlier attempts of the same request. */
    this.spentMs = 0;
    this.attempts = 0;
    /** The request in flight, for a client that can abandon it. @type {Abandonable | null} */
    this.exchange = null;
  }

  /** @param {number} slotCount @param {number} payloadCount */
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
