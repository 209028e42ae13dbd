import {performance} from 'node:perf_hooks';
import {untilAborted} from '../../measure/bounds.js';
import {originMs} from '../../measure/clock.js';
import {noCounts} from '../../measure/counts.js';
import {Recorder} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {makeClosingCall, minTimedBytes, stampTimes} from '../../payload/stamp.js';
import {boundsOf, warmUpBy} from '../load.js';
import {loadOfOpenPart, partsOf} from '../measure-window.js';
import {isOpenLoop} from '../open-loop/index.js';
import {distanceMs, rateOfAll, sendOnSchedule, timeUntil} from '../schedule.js';
import {flushingTimeouts, sendAll, timeoutsOf, whileMoving} from '../send-all.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {Timed, WarmUp} from '../../measure/types.js'
 * @import {OpenLoopDistributions, OpenLoopNotes} from '../../results/types.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {Arrivals, LoadSettings, Until, WorkloadContext, WorkloadResult} from '../workload.js'
 */

/** @typedef {{sender?: Timed}} SenderPhases sender: only with a closing call */

/**
 * @typedef {object} StreamResult
 * @property {Pick<OpenLoopDistributions<Histogram>, 'sendLag'>} beside
 * @property {SenderPhases} phases
 * @property {Partial<OpenLoopNotes> & {confirmed?: number}} notes
 */

/** @typedef {{rate: number | null, arrivals: Arrivals, closingCall: boolean, clients?: number}} SendSettings */

/** The longest pause when sending at a rate, in mean distances. Exponential pauses exceed it once in 5 * 10^8 messages. */
const maxPause = 20;

/**
 * Sends one way, as fast as back-pressure allows or at fixed times. Only the receiver counts delivered messages.
 * @param {WorkloadContext<SendSettings>} context @returns {Promise<WorkloadResult<StreamResult>>}
 * @throws {RunError} PB_STALLED, or the error of the transport when its connection is lost
 */
export async function measureStream(context) {
  const {options, ring} = context;
  const sender = new Sender(context);
  const warmUp = await warmUpSender(sender, options);
  await sender.flush();
  await context.warmedUp(sender.sent);
  sender.restart();
  ring.restart();

  const before = readUsage();
  const begin = performance.now();
  const paced = isOpenLoop(options) ? await sender.sendAtRate(options) : null;
  if (!paced) await sender.sendFreely(boundsOf(options));
  if (options.closingCall) await sender.close();
  const ms = paced ? timeUntil(performance.now(), paced) : performance.now() - begin;
  const {confirmed} = await sender.flush();
  const usage = usageSince(before);
  context.onMeasured(sender.sent);
  return {
    latency: null,
    beside: {sendLag: sender.lag.finish()},
    timed: null,
    phases: options.closingCall ? {sender: {messages: sender.sent, ms}} : {},
    counts: {...noCounts, sent: sender.sent},
    warmUp,
    usage,
    schedule: paced?.schedule ?? null,
    notes: {
      ...(confirmed !== null && {confirmed}),
      ...(paced && {askedPerSecond: rateOfAll([paced.schedule])}),
    },
  };
}

/**
 * Warms up as fast as back-pressure allows. Before an open loop, the last part of the warm-up is an open loop, too.
 * @param {Sender} sender @param {LoadSettings & SendSettings} options
 */
async function warmUpSender(sender, options) {
  const {warmUp} = options;
  const {free, open} = isOpenLoop(options) ? partsOf(timed(warmUp)) : {free: timed(warmUp), open: null};
  const begin = performance.now();
  await warmUpBy({ring: sender.context.ring, options: {warmUp: free}}, async (_ring, until) => {
    await sender.sendFreely(until);
    return sender.sent;
  });
  if (open && isOpenLoop(options) && sender.sent > 0 && open.samples !== 0) {
    await sender.flush();
    await sender.sendAtRate(loadOfOpenPart(options, open, (performance.now() - begin) / sender.sent));
  }
  return {discarded: sender.sent};
}

/** The longest automatic warm-up. */
const automaticMs = 1500;

/**
 * Limits an automatic warm-up only by time, because thousands of one-way messages at full speed take only some milliseconds.
 * @param {WarmUp} warmUp @returns {Exclude<WarmUp, {kind: 'auto'}>}
 */
function timed(warmUp) {
  return warmUp.kind === 'auto'
    ? {kind: 'duration', durationMs: Math.min(automaticMs, warmUp.maximumMs)}
    : warmUp;
}

/** Sends one message after the other, waiting whenever the transport is full. */
class Sender {
  /** @param {WorkloadContext<SendSettings>} context */
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

  /** @param {Until} until samples: of `sent` */
  async sendFreely(until) {
    const {ring, signal} = this.context;
    await this.#guarded(sendAll(this.client, {ring, progress: this, signal}, until));
  }

  /** @param {LoadSettings & SendSettings & {rate: number}} options */
  async sendAtRate(options) {
    const {context, client, lag} = this;
    const {ring, signal} = context;
    const timed = ring.payloadBytes >= minTimedBytes;
    const sharedClock = originMs;
    const send = (/** @type {number} */ intended, /** @type {number} */ now) => {
      const payload = ring.next();
      if (timed) stampTimes(payload, intended + sharedClock, now + sharedClock);
      lag.record(now - intended);
      this.sent += 1;
      return client.send(payload) ? undefined : client.drained();
    };
    const sending = sendOnSchedule(options, {send, signal});
    await this.#guarded(sending, {pauseMs: maxPause * distanceMs(options)});
    return sending;
  }

  /** Sends one request after all messages. If messages keep their order, its reply means that all of them have arrived. */
  async close() {
    const {connection, signal} = this.context;
    // The receiver first handles the messages before this request. Only the trial bounds this time.
    const answered = Promise.race([connection.client.request(makeClosingCall()), this.client.closed]);
    await untilAborted(answered, signal);
  }

  /** Waits until the transport has handed over all messages. @returns {Promise<{confirmed: number | null}>} */
  async flush() {
    /** @type {{confirmed: number | null}} */
    let result = {confirmed: null};
    const flushing = this.client.flushed().then((done) => {
      result = done;
    });
    await this.#guarded(flushing, {timeouts: flushingTimeouts});
    return result;
  }

  /**
   * @param {Promise<unknown>} work makes no progress while the receiver accepts nothing
   * @param {{pauseMs?: number, timeouts?: number}} [patience] pauseMs: longest pause of the work itself; timeouts: allowed without progress
   */
  async #guarded(work, {pauseMs = 0, timeouts = 1} = {}) {
    const bound = timeoutsOf(this.context.options, timeouts);
    await whileMoving(work, {
      closed: this.client.closed,
      signal: this.context.signal,
      timeoutMs: bound.ms + pauseMs,
      moved: () => this.sent,
      describe: () => `The receiver accepted nothing for ${bound.text}, after ${this.sent} messages.`,
    });
  }
}
