import {performance} from 'node:perf_hooks';
import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../../errors.js';
import {Recorder} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {MessageCheck} from '../../payload/message-check.js';
import {ReplyTally} from '../check-tally.js';
import {samplesKept, upTo, waitForStraysMs} from '../load.js';
import {loadOfOpenPart, partsOf, warmUpWindow} from '../measure-window.js';
import {RequestWindow} from '../request-window.js';
import {distanceMs, maxAtOnce, rateOfAll, sendOnSchedule, timeUntil} from '../schedule.js';
import {isOpenLoop} from './index.js';

/**
 * @import {Answer} from '../../payload/message-check.js'
 * @import {OpenLoopDistributions, OpenLoopNotes} from '../../results/types.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {Abandonable} from '../../transports/transport.js'
 * @import {Arrivals, LoadSettings, WorkloadContext, WorkloadResult} from '../workload.js'
 */

/** @typedef {LoadSettings & OpenLoopSettings & {rate: number}} Load rate: messages per second of all clients together */

/**
 * Measures requests at fixed times. The response time counts from the intended time of a request, so that it includes waiting for a busy
 * transport (Gil Tene, "How NOT to Measure Latency"). The service time counts from the actual send. The send lag is the difference.
 * @param {WorkloadContext<OpenLoopSettings & {rate: number | null}>} context
 * @returns {Promise<WorkloadResult<{beside: OpenLoopDistributions<Histogram>, notes: OpenLoopNotes}>>}
 * @throws {RunError} PB_NO_REPLY, or the error of the transport when its connection is lost
 */
export async function measureResponseTimes(context) {
  const {options} = context;
  if (!isOpenLoop(options)) throw new TypeError('Response times need a rate.');
  const warmUp = await warmUpForRate(context);
  await context.warmedUp();
  const opened = context.connection.client.connections;
  const openedBefore = opened?.() ?? 0;
  const result = await requestAtRate(context, options);
  context.onMeasured();
  const askedPerSecond = rateOfAll([result.schedule]);
  const notes = {askedPerSecond, ...(opened && {connectionsOpened: opened() - openedBefore})};
  return {...result, notes, warmUp};
}

/**
 * Sends the requests of one rate, until the last request is answered or lost.
 * @param {WorkloadContext<OpenLoopSettings>} context @param {Load} load
 */
export async function requestAtRate(context, load) {
  const check = new MessageCheck(context.ring, {answer: load.answer, every: load.verify});
  const requests = new Requests(context, check, samplesToKeep(load));
  const before = readUsage();
  try {
    const send = (/** @type {number} */ intended, /** @type {number} */ now) => requests.send(intended, now);
    const isIdle = () => requests.inFlight.size === 0;
    const sending = sendOnSchedule(load, {send, isIdle, signal: context.signal});
    const {schedule, nextAt} = await Promise.race([sending, requests.failed]);
    await Promise.race([requests.settled(), requests.failed]);
    const usage = usageSince(before);
    await sleep(waitForStraysMs);
    const result = requests.result();
    const timed = {messages: result.counts.received, ms: timeUntil(requests.lastAt, {schedule, nextAt})};
    return {...result, timed, usage, schedule};
  } finally {
    requests.close();
  }
}

/** The rate of the closed part is computed from this many of the newest samples, which are the warmest. */
const newestSamples = 1000;

/**
 * Warms up with a closed loop, then with an open loop. In between, a client that opens connections on demand opens all connections that the
 * open loop will need. Opening them later would delay due requests.
 * @param {WorkloadContext<OpenLoopSettings & {rate?: number | null}>} context
 * @returns {Promise<WorkloadResult['warmUp']>}
 */
export async function warmUpForRate(context) {
  const {options, connection} = context;
  const {free, open} = partsOf(options.warmUp);
  const recorder = new Recorder();
  const {warmUp} = await warmUpWindow({...context, options: {...options, warmUp: free}}, 1, {
    ...{client: connection.client, recorder},
    checkOf: (ring) => new MessageCheck(ring, {answer: options.answer, every: 1}),
  });
  if (recorder.count === 0 || open.samples === 0) return warmUp;
  const serviceMs = recorder.medianSince(recorder.count - newestSamples);
  const opening = connection.client.connections ? await openForLoad(context, open.samples, serviceMs) : 0;
  const samples = open.samples === null ? null : open.samples - opening;
  const load = loadOfOpenPart(options, {...open, samples}, serviceMs);
  const sent = samples === 0 ? 0 : (await requestAtRate(context, load)).counts.sent;
  return {...warmUp, discarded: warmUp.discarded + opening + sent};
}

/**
 * @param {WorkloadContext<OpenLoopSettings & {rate?: number | null}>} context
 * @param {number | null} samples maximum number
 * @param {number} serviceMs @returns {Promise<number>} number of requests that opened connections
 */
function openForLoad(context, samples, serviceMs) {
  const {rate, clients = 1} = context.options;
  const limit = Math.min(
    samples ?? Number.POSITIVE_INFINITY,
    context.ring.payloads.length,
    context.options.window,
  );
  // Without a rate, the workload searches one, which is of the order of the closed loop's rate.
  const own = rate ? rate / clients : 1000 / serviceMs;
  return openConnections(context, connectionsNeeded({rate: own, serviceMs, limit}));
}

/**
 * Returns the number of samples to keep: the expected number and a reserve, because Poisson arrivals vary. Allocating memory for very many samples
 * triggers a garbage collection while the first messages are in flight.
 * @param {Load} load
 */
function samplesToKeep(load) {
  const {samples, durationMs} = load;
  const ofDuration = (durationMs ?? Number.POSITIVE_INFINITY) / distanceMs(load);
  const expected = Math.min(samples ?? Number.POSITIVE_INFINITY, ofDuration);
  return Math.min(samplesKept, Math.ceil(1.1 * expected) + 4096);
}

/** @typedef {{arrivals: Arrivals, answer: Answer, verify: number, retries: number, window: number, clients?: number}} OpenLoopSettings */

/** The requests in flight of an open loop. */
export class Requests {
  /**
   * @param {WorkloadContext<OpenLoopSettings>} context @param {MessageCheck} check
   * @param {number} capacity number of samples that fit before older ones must be moved
   */
  constructor(context, check, capacity) {
    this.context = context;
    this.response = new Recorder(capacity);
    this.service = new Recorder(capacity);
    this.lag = new Recorder(capacity);
    this.tally = new ReplyTally(check);
    this.sent = 0;
    this.lost = 0;
    /** Time of the last reply. */
    this.lastAt = performance.now();
    /** In the order of sending. @type {Set<TimedRequest>} */
    this.inFlight = new Set();
    /** Indices of payloads that are not in flight. */
    this.freePayloads = context.ring.payloads.map((_, payloadIndex) => payloadIndex);
    /** The number of payloads in flight is at most the window, so this many always remain. */
    this.spare = Math.max(0, this.freePayloads.length - context.options.window);
    /** The message that waits for room. @type {{resolve: () => void, reject: (error: unknown) => void} | null} */
    this.waiting = null;
    /** @type {Promise<never>} */
    this.failed = new Promise((_, reject) => {
      this.rejectAll = reject;
    });
    this.onAbort = () => this.#reject(context.signal.reason);
    context.signal.addEventListener('abort', this.onAbort, {once: true});
    this.failed.catch(() => {});
    const {timeoutMs} = context.options;
    this.watch = setInterval(() => this.#giveUpOld(), Math.max(1, Math.min(1000, timeoutMs / 8)));
  }

  /** @param {number} intended @param {number} now @returns {void | Promise<void>} must be awaited if the window is full */
  send(intended, now) {
    if (this.freePayloads.length === this.spare) return this.#sendWithRoom(intended);
    const {ring, connection} = this.context;
    const payloadIndex = this.freePayloads.pop() ?? 0;
    const request = new TimedRequest(this, {sequence: ring.taken, payloadIndex, intended, sent: now});
    this.inFlight.add(request);
    this.sent += 1;
    connection.client.ask(ring.take(payloadIndex), request);
    this.lag.record(now - intended);
  }

  /** @param {number} intended */
  async #sendWithRoom(intended) {
    // Each `Promise.race` with `failed` would stay in memory until the end of the measurement.
    /** @type {Promise<void>} */
    const room = new Promise((resolve, reject) => {
      this.waiting = {resolve, reject};
    });
    await room;
    this.send(intended, performance.now());
  }

  /** @param {Buffer} reply @param {TimedRequest} request */
  take(reply, request) {
    const now = performance.now();
    if (!this.inFlight.delete(request)) return;
    const {sequence, payloadIndex, intended, sent} = request;
    this.freePayloads.push(payloadIndex);
    this.lastAt = now;
    this.response.record(now - intended);
    this.service.record(now - sent);
    this.tally.take(reply, sequence, payloadIndex);
    this.#makeRoom();
  }

  /** @param {Error} error @param {TimedRequest} request */
  fail(error, request) {
    if (this.inFlight.has(request)) this.#reject(error);
  }

  /** @param {unknown} error */
  #reject(error) {
    this.waiting?.reject(error);
    this.waiting = null;
    this.rejectAll?.(error);
  }

  #makeRoom() {
    this.waiting?.resolve();
    this.waiting = null;
  }

  /** Counts requests that exceeded the timeout as lost, and records their time so far. */
  #giveUpOld() {
    const now = performance.now();
    const {options, connection} = this.context;
    for (const request of this.inFlight) {
      const {intended, sent, payloadIndex} = request;
      if (now - sent < options.timeoutMs) break;
      this.inFlight.delete(request);
      this.freePayloads.push(payloadIndex);
      connection.client.abandon?.(request);
      this.lost += 1;
      this.response.record(now - intended);
      this.#makeRoom();
    }
    if (this.tally.received === 0 && this.lost > 0) this.#reject(noReply(this.lost, options));
  }

  /** Waits for the requests in flight, at most for the timeout of one request. */
  async settled() {
    while (this.inFlight.size > 0) await sleep(1);
  }

  close() {
    clearInterval(this.watch);
    this.context.signal.removeEventListener('abort', this.onAbort);
  }

  result() {
    const {sent, lost, tally} = this;
    const duplicated = this.context.takeStrays();
    return {
      latency: this.response.finish(),
      windows: this.response.windows(),
      beside: {service: this.service.finish(), sendLag: this.lag.finish()},
      counts: {...tally.counts, sent, lost, timedOut: lost, retried: 0, duplicated},
      mismatch: tally.mismatch,
    };
  }
}

/** A request of an open loop, and the callbacks for its reply. */
class TimedRequest {
  onChunk = null;
  /** The request in flight, for a client that can abandon it. @type {Abandonable | null} */
  exchange = null;

  /**
   * @param {Requests} requests
   * @param {{sequence: number, payloadIndex: number, intended: number, sent: number}} details times by performance.now()
   */
  constructor(requests, {sequence, payloadIndex, intended, sent}) {
    this.requests = requests;
    this.sequence = sequence;
    this.payloadIndex = payloadIndex;
    this.intended = intended;
    this.sent = sent;
  }

  /** @param {Buffer} reply */
  resolve(reply) {
    this.requests.take(reply, this);
  }

  /** @param {Error} error */
  reject(error) {
    this.requests.fail(error, this);
  }
}

/** @param {number} count @param {{timeoutMs: number}} settings */
function noReply(count, {timeoutMs}) {
  return new RunError(`None of the first ${count} requests had a reply within ${timeoutMs} ms (--timeout).`, {
    code: 'PB_NO_REPLY',
  });
}

/** Multiple of the mean number in flight, which is exceeded now and then. */
const reserve = 2;

/**
 * Returns the number of connections for an open loop that needs a connection per request in flight. It is a multiple of the mean number in flight,
 * which is the rate times the service time (Little's law). It is at least the number of messages that a late sender sends at once.
 * @param {{rate: number, serviceMs: number, limit: number}} load rate: messages per second of this client; limit: of the window
 */
export function connectionsNeeded({rate, serviceMs, limit}) {
  const inFlight = (rate * serviceMs) / 1000;
  return Math.min(limit, Math.max(maxAtOnce, Math.ceil(reserve * inFlight)));
}

/**
 * Opens connections before the measurement: each request in flight needs a connection.
 * @param {WorkloadContext<{answer: Answer, retries: number}>} context @param {number} count
 * @returns {Promise<number>} number of sent requests
 */
export async function openConnections(context, count) {
  const {ring, options} = context;
  const check = new MessageCheck(ring, {answer: options.answer, every: 1});
  const recorder = new Recorder(count + 1);
  await new RequestWindow(context, count, {recorder, check}).run(upTo(count));
  return recorder.count;
}
