import {performance} from 'node:perf_hooks';
import {noCounts} from '../../measure/counts.js';
import {Recorder} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {MessageCheck, SequenceTracker} from '../../payload/message-check.js';
import {minNumberedBytes, sequenceOf} from '../../payload/stamp.js';
import {CheckTally} from '../check-tally.js';
import {upTo, warmUpBy} from '../load.js';
import {flushingTimeouts, sendAll, timeoutsOf, whileMoving} from '../send-all.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {Counts, Timed} from '../../measure/types.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/** @typedef {{enqueue: Timed, dequeue: Timed}} QueuePhases */

/** @typedef {{phases: QueuePhases | {}, notes: {confirmed?: number}}} QueueResult */

/** @typedef {{pairwise: boolean, confirms?: boolean}} PassSettings confirms: only of a transport with publisher confirms */

/** A warm-up puts this many messages in at a time, and takes them out again. The batch is so small that the warm-up ends about on time at any size. */
const maxBatch = 500;
const maxBatchBytes = 8 * 1024 * 1024;

/**
 * Puts N messages into a durable queue until the broker has all of them, then takes N out. Each phase is timed from its first step to its
 * last message. Pairwise: puts one message in and takes the same message out; each pair is timed.
 * @param {WorkloadContext<PassSettings>} context @returns {Promise<WorkloadResult<QueueResult>>}
 * @throws {RunError} PB_STALLED, PB_NACK, or the error of the broker
 */
export async function measureQueue(context) {
  const {options, ring} = context;
  const messages = Number(options.samples);
  const pass = options.pairwise ? passPairwise : passInTwoPhases;
  const warmUp = await warmUpQueue(context, pass);
  await context.warmedUp();
  ring.restart();

  const before = readUsage();
  const measured = new Pass(context);
  const phases = await pass(measured, messages);
  const usage = usageSince(before);
  context.onMeasured();
  return {
    latency: options.pairwise ? measured.recorder.finish() : null,
    windows: options.pairwise ? measured.recorder.windows() : null,
    timed: {messages, ms: Object.values(phases).reduce((total, {ms}) => total + ms, 0)},
    phases: 'pairs' in phases ? {} : phases,
    counts: measured.counts(messages),
    mismatch: measured.tally.mismatch,
    warmUp,
    usage,
    notes: measured.confirmed === null ? {} : {confirmed: measured.confirmed},
  };
}

/**
 * Passes messages through the queue, batch after batch, without counting them.
 * @param {WorkloadContext<PassSettings>} context
 * @param {(pass: Pass, messages: number) => Promise<unknown>} pass
 */
async function warmUpQueue(context, pass) {
  return warmUpBy(context, async (ring, {samples, atMs}) => {
    const batch = Math.max(1, Math.min(maxBatch, Math.floor(maxBatchBytes / ring.payloadBytes)));
    let count = 0;
    do {
      const messages = Math.min(batch, samples - count);
      await pass(new Pass({...context, ring}), messages);
      count += messages;
    } while (count < samples && performance.now() < atMs);
    return count;
  });
}

/** @param {Pass} pass @param {number} messages @returns {Promise<QueuePhases>} */
async function passInTwoPhases(pass, messages) {
  const startedAt = performance.now();
  await pass.putAll(messages);
  const between = performance.now();
  await pass.takeAll(messages);
  return {
    enqueue: {messages, ms: between - startedAt},
    dequeue: {messages, ms: pass.lastAt - between},
  };
}

/** @param {Pass} pass @param {number} pairs @returns {Promise<{pairs: Timed}>} */
async function passPairwise(pass, pairs) {
  const startedAt = performance.now();
  await pass.pairs(pairs);
  return {pairs: {messages: pairs, ms: performance.now() - startedAt}};
}

/** One pass of messages through the queue. */
class Pass {
  /** @param {WorkloadContext<PassSettings>} context */
  constructor(context) {
    this.context = context;
    const {client} = context.connection;
    if (!client.store) throw new TypeError('This transport stores no messages.');
    this.store = client.store;
    this.closed = client.closed;
    // Each message is compared on arrival, because all messages together may not fit in memory.
    this.tally = new CheckTally(new MessageCheck(context.ring, {answer: 'echo', every: 1}));
    this.tracker = new SequenceTracker(context.ring.taken);
    this.recorder = new Recorder();
    /** Numbers of messages put in and taken out. */
    this.sent = 0;
    this.taken = 0;
    /** @type {number | null} */
    this.confirmed = null;
    this.lastAt = 0;
    this.first = context.ring.taken;
  }

  /** @param {number} messages */
  async putAll(messages) {
    const {ring, signal} = this.context;
    const outlet = {send: this.store.put, drained: this.store.drained};
    const until = upTo(messages);
    await this.#guarded(
      sendAll(outlet, {ring, progress: this, signal}, until),
      'The broker accepted nothing',
    );
    const flushing = this.store.flushed().then(({confirmed}) => {
      this.confirmed = confirmed;
    });
    await this.#guarded(flushing, 'The broker did not accept the rest', flushingTimeouts);
  }

  /** @param {number} messages */
  async takeAll(messages) {
    const taking = this.store.take(messages, (payload) => this.#take(payload));
    await this.#guarded(taking, 'The queue delivered nothing');
  }

  /** @param {number} pairs */
  async pairs(pairs) {
    await this.#guarded(this.#pairLoop(pairs), 'The queue made no progress');
  }

  /** The consumer ends with the last pair. @param {number} pairs */
  async #pairLoop(pairs) {
    const {ring} = this.context;
    const onMessage = (/** @type {Buffer} */ payload) => this.#take(payload);
    for (; this.sent < pairs; this.sent += 1) {
      const before = performance.now();
      this.store.put(ring.next());
      if (this.store.awaitsConfirms) await this.store.flushed();
      await this.store.take(1, onMessage, {stay: this.sent + 1 < pairs});
      this.recorder.record(this.lastAt - before);
    }
  }

  /** @param {Buffer} payload */
  #take(payload) {
    this.lastAt = performance.now();
    this.taken += 1;
    const numbered = payload.length >= minNumberedBytes;
    const sequence = numbered ? sequenceOf(payload) : this.first + this.taken - 1;
    this.tracker.add(sequence);
    this.tally.take(payload, sequence);
  }

  /** @param {number} messages @returns {Counts} */
  counts(messages) {
    const {distinct, duplicated, reordered} = this.tracker;
    const {verified, corrupted} = this.tally;
    const lost = messages - distinct;
    return {
      ...noCounts,
      sent: messages,
      received: distinct,
      lost,
      verified,
      duplicated,
      reordered,
      corrupted,
    };
  }

  /**
   * @param {Promise<unknown>} work @param {string} stalled beginning of the error's message
   * @param {number} [timeouts] number of timeouts that the work may take without progress
   */
  async #guarded(work, stalled, timeouts = 1) {
    const bound = timeoutsOf(this.context.options, timeouts);
    await whileMoving(work, {
      closed: this.closed,
      signal: this.context.signal,
      timeoutMs: bound.ms,
      moved: () => this.sent + this.taken,
      describe: () => `${stalled} for ${bound.text}: ${this.sent} messages in, ${this.taken} out.`,
    });
  }
}
