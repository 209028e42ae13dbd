import {performance} from 'node:perf_hooks';
import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../../errors.js';
import {Recorder} from '../../measure/recorder.js';
import {ReplyTally} from '../check-tally.js';

/**
 * @import {Answer} from '../../payload/message-check.js'
 * @import {MessageCheck} from '../../payload/message-check.js'
 * @import {Abandonable} from '../../transports/transport.js'
 * @import {Arrivals} from '../schedule.js'
 * @import {WorkloadContext} from '../workload.js'
 */

/**
 * @typedef {{arrivals: Arrivals, answer: Answer, verify: number, retries: number, clients?: number}} OpenLoopSettings
 */

/** The requests in flight of an open loop. */
export class Requests {
  /**
   * @param {WorkloadContext<OpenLoopSettings>} context
   * @param {MessageCheck} check
   * @param {number} capacity samples that fit before any must be moved
   */
  constructor(context, check, capacity) {
    this.context = context;
    this.response = new Recorder(capacity);
    this.service = new Recorder(capacity);
    this.lag = new Recorder(capacity);
    this.tally = new ReplyTally(check);
    this.sent = 0;
    this.lost = 0;
    /** When the last reply arrived. */
    this.lastAt = performance.now();
    /** The oldest first. @type {Set<TimedRequest>} */
    this.inFlight = new Set();
    /** Indices of payloads that are not in flight. */
    this.freePayloads = context.ring.payloads.map((_, payloadIndex) => payloadIndex);
    /** @type {(() => void) | null} */
    this.onRoom = null;
    /** @type {Promise<never>} */
    this.failed = new Promise((_, reject) => {
      this.reject = reject;
    });
    this.onAbort = () => this.reject?.(context.signal.reason);
    context.signal.addEventListener('abort', this.onAbort, {once: true});
    this.failed.catch(() => {});
    const {timeoutMs} = context.options;
    this.watch = setInterval(() => this.#giveUpOld(), Math.max(1, Math.min(1000, timeoutMs / 8)));
  }

  /**
   * @param {number} intended
   * @param {number} now
   * @returns {void | Promise<void>} to await when the window is full
   */
  send(intended, now) {
    if (this.freePayloads.length === 0) return this.#sendWithRoom(intended);
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
    /** @type {Promise<void>} */
    const room = new Promise((resolve) => {
      this.onRoom = resolve;
    });
    await Promise.race([room, this.failed]);
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
    if (this.inFlight.has(request)) this.reject?.(error);
  }

  #makeRoom() {
    this.onRoom?.();
    this.onRoom = null;
  }

  /** Requests that exceeded the timeout are lost; their time so far is recorded. */
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
    if (this.tally.received === 0 && this.lost > 0) this.reject?.(noReply(this.lost, options));
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
  /** The request in flight, of a client that can abandon it. @type {Abandonable | null} */
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
