import {performance} from 'node:perf_hooks';
import {setImmediate as breathe} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {originMs} from '../measure/clock.js';
import {Recorder} from '../measure/recorder.js';
import {readUsage, usageSince} from '../measure/usage.js';
import {warmUpBy} from '../measure/warm-up.js';
import {Watchdog} from '../measure/watchdog.js';
import {makeClosingCall, shortestTimedBytes, stampTimes} from '../payload/stamp.js';
import {boundsOf, breatheEveryMs, noCounts, openBoundsOf} from './load.js';
import {makeSchedule, sendOnSchedule} from './schedule.js';

/** The clock is read once for so many messages. */
const messagesPerLook = 32;

/**
 * One way: as fast as back-pressure lets, or at times fixed beforehand. Nothing is called delivered here: the receiver counts.
 *
 * @param {import('./index.js').WorkloadContext} context
 * @returns {Promise<import('./index.js').WorkloadResult>}
 * @throws {RunError} PB_STALLED, or what the transport rejects with when its connection dies
 */
export async function measureStream(context) {
  const {options, ring} = context;
  const sender = new Sender(context);
  const pace = new WarmUpPace(sender);
  const warmUp = await warmUpBy(options.warmUp, pace, (until) => sender.sendFreely(pace.begin(until)));
  await sender.flush();
  await context.warmedUp(sender.sent);
  sender.restart();
  ring.restart();

  const before = readUsage();
  const begin = performance.now();
  if (options.rate === null) await sender.sendFreely(boundsOf(options));
  else await sender.sendAtRate(options);
  if (options.closingCall) await sender.close();
  const ms = performance.now() - begin;
  const {confirmed} = await sender.flush();
  const usage = usageSince(before);
  context.onPhase('measured', sender.sent);
  return {
    latency: null,
    beside: {sendLag: sender.lag.finish()},
    timed: null,
    phases: options.closingCall ? {sender: {messages: sender.sent, ms}} : {},
    counts: {...noCounts, sent: sender.sent},
    warmUp,
    usage,
    notes: confirmed === null ? {} : {confirmed},
  };
}

/** Sends one message after the other, waiting whenever the transport is full. */
class Sender {
  /** @param {import('./index.js').WorkloadContext} context */
  constructor(context) {
    this.context = context;
    this.lag = new Recorder();
    this.sent = 0;
    const {client} = context.connection;
    const {send, drained, flushed} = client;
    if (!send || !drained || !flushed) throw new TypeError('This transport cannot send one way.');
    this.client = {send, drained, flushed, closed: client.closed};
  }

  restart() {
    this.sent = 0;
    this.lag.reset();
  }

  /** @param {import('./load.js').Until} until samples: of `sent` */
  async sendFreely(until) {
    await this.#guarded(this.#loop(until));
  }

  /** @param {import('./index.js').ClientSettings} options */
  async sendAtRate(options) {
    const {context, client, lag} = this;
    const {ring, signal} = context;
    const timed = ring.payloadBytes >= shortestTimedBytes;
    const sharedClock = originMs;
    const send = (/** @type {number} */ intended, /** @type {number} */ now) => {
      const payload = ring.next();
      if (timed) stampTimes(payload, intended + sharedClock, now + sharedClock);
      lag.record(now - intended);
      this.sent += 1;
      return client.send(payload) ? undefined : client.drained();
    };
    await this.#guarded(sendOnSchedule(makeSchedule(options), openBoundsOf(options), {send, signal}));
  }

  /** One request behind all messages: where messages keep their order, its reply says that all before it have come. */
  async close() {
    const {connection, signal} = this.context;
    let onAbort = () => {};
    const aborted = new Promise((_, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, {once: true});
    });
    // What the receiver has still to take stands before it, however long that takes; the bound of the trial is the one that counts.
    await Promise.race([connection.client.request(makeClosingCall()), this.client.closed, aborted]).finally(
      () => signal.removeEventListener('abort', onAbort),
    );
  }

  /** @returns {Promise<{confirmed: number | null}>} when all was handed over */
  async flush() {
    /** @type {{confirmed: number | null}} */
    let result = {confirmed: null};
    const flushing = this.client.flushed().then((done) => {
      result = done;
    });
    await this.#guarded(flushing);
    return result;
  }

  /**
   * The hot loop.
   * @param {import('./load.js').Until} until
   */
  async #loop(until) {
    const {client, context} = this;
    const {ring} = context;
    let breathedAt = performance.now();
    for (;;) {
      for (let count = 0; count < messagesPerLook && this.sent < until.samples; count += 1) {
        this.sent += 1;
        if (!client.send(ring.next())) await client.drained();
      }
      const now = performance.now();
      if (now >= until.atMs || this.sent >= until.samples || context.signal.aborted) return;
      if (now - breathedAt >= breatheEveryMs) {
        await breathe();
        breathedAt = performance.now();
      }
    }
  }

  /** @param {Promise<unknown>} work which makes no progress when the receiver takes nothing any more */
  async #guarded(work) {
    const {options, signal} = this.context;
    const done = Promise.race([work, this.client.closed]).then(() => {});
    const {finished} = await new Watchdog(options.timeoutMs).guard(done, () => this.sent, signal);
    if (!finished) {
      const message = `The receiver took nothing for ${options.timeoutMs} ms (--timeout), ${this.sent} messages after the begin.`;
      throw new RunError(message, {code: 'PB_STALLED'});
    }
  }
}

/** What a warm-up looks at: how long a message took in each of its windows. */
class WarmUpPace {
  /** @param {Sender} sender */
  constructor(sender) {
    this.sender = sender;
    this.beganAt = 0;
  }

  get count() {
    return this.sender.sent;
  }

  /** @param {import('./load.js').Until} until */
  begin(until) {
    this.beganAt = performance.now();
    return until;
  }

  /** @param {number} from */
  medianSince(from) {
    return (performance.now() - this.beganAt) / (this.count - from);
  }
}
