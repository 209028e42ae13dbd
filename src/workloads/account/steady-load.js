import {setTimeout as sleep, setImmediate as yieldToEvents} from 'node:timers/promises';
import {monotonicMs} from '../../measure/clock.js';
import {noCounts} from '../../measure/counts.js';
import {MessageLog, outcomes} from '../../measure/message-log.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {stampSequence} from '../../payload/stamp.js';
import {yieldEveryMs} from '../load.js';
import {BackOff} from './back-off.js';

/**
 * @import {Client} from '../../transports/transport.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/**
 * @typedef {object} SteadySettings
 * @property {number} rate messages per second
 * @property {number} window maximum number of open messages
 * @property {boolean} resend whether a message of unknown outcome is sent again after a loss of the connection
 *
 * @typedef {(payload: Buffer, outcome: {taken: () => void, refused: () => void, failed: (error: Error) => void}) => boolean} SendOne
 *   failed: the message is sent again with `resend`; otherwise its outcome is unknown, unless the error says that it was refused. Returns false if the caller must await `drained`
 *
 * @typedef {object} Outlet how one connection sends
 * @property {SendOne} send
 * @property {() => Promise<void>} drained
 * @property {() => Promise<unknown>} [flushed] resolves when the transport has handed over all messages; only if no outcome follows a message
 * @property {boolean} settles whether an outcome follows each message
 * @property {(sequence: number) => number | null} [answersItself] returns the outcome of a new message if the client answers it itself, without a
 *   connection; null if the message must be sent
 */

/** The load checks for due messages at this interval. */
const tickMs = 1;
/** If no message is accepted for this time, a client of several nodes uses the next node. */
const refusedAtMostMs = 1000;

/**
 * Sends messages at fixed times until the battle ends the load. It reopens a lost connection. A message that is due while the window is full, or
 * while there is no connection, is sent as soon as possible.
 * @param {WorkloadContext<SteadySettings>} context @param {(client: Client) => Outlet} outletOf
 * @returns {Promise<WorkloadResult>}
 */
export async function sendSteadily(context, outletOf) {
  await context.warmedUp();
  const before = readUsage();
  const load = new SteadyLoad(context, outletOf);
  const ending = new AbortController();
  const passOn = () => ending.abort();
  context.signal.addEventListener('abort', passOn, {once: true});
  const ended = untilEnd(context).finally(passOn);
  try {
    await load.run(ending.signal);
    await ended;
  } finally {
    context.signal.removeEventListener('abort', passOn);
  }
  context.signal.throwIfAborted();
  context.onMeasured();
  const {messages, outcomes: all} = load.log;
  const received = all.subarray(0, messages).filter((outcome) => outcome === outcomes.taken).length;
  return {
    latency: null,
    timed: null,
    counts: {...noCounts, sent: messages, received, lost: messages - received, retried: load.log.resent},
    warmUp: {discarded: 0},
    usage: usageSince(before),
    account: {log: load.log.encode()},
  };
}

/** Resolves when the battle ends the load. @param {Pick<WorkloadContext, 'slices'>} context */
export async function untilEnd({slices}) {
  for await (const _ of slices?.() ?? []) throw new TypeError('A steady load has no slices.');
}

class SteadyLoad {
  /** @param {WorkloadContext<SteadySettings>} context @param {(client: Client) => Outlet} outletOf */
  constructor({connection, ring, options}, outletOf) {
    const {rate, window, resend, timeoutMs} = options;
    this.connection = connection;
    this.outletOf = outletOf;
    this.ring = ring;
    this.options = {rate, window, resend, timeoutMs};
    const {settles} = outletOf(connection.client);
    this.log = new MessageLog({startMs: monotonicMs(), rate, settles});
    /** Ends the wait for the next check. */
    this.wake = () => {};
    /** The send times of the open messages of this connection, by number. @type {Map<number, number>} */
    this.open = new Map();
    /** The messages to send again. @type {number[]} */
    this.again = [];
    /** After a failure, nothing is sent before this time. Then one message is sent at a time until one has an outcome. */
    this.heldUntilMs = 0;
    this.isProbing = false;
    /** The single message that is sent as a probe. Earlier open messages may never have an outcome. @type {number | null} */
    this.probe = null;
    this.backOff = new BackOff();
    const {servers, brokers = []} = connection.options ?? {servers: []};
    this.hasOthers = Math.max(servers.length, brokers.length) > 1;
    /** Whether the current one of several servers failed to answer a request. */
    this.hasFailed = false;
    /** Start of the time in which the other end has refused all messages. @type {number | null} */
    this.refusesSinceMs = null;
  }

  /** @returns {number} ms since the start */
  get now() {
    return monotonicMs() - this.log.startMs;
  }

  /** @param {AbortSignal} signal ends the load */
  async run(signal) {
    for (;;) {
      const reason = await this.#useConnection(signal);
      if (reason === null) return;
      const lostMs = this.now;
      this.#giveUpOpen();
      const outage = {lostMs, backMs: /** @type {number | null} */ (null), attempts: 0, reason};
      this.log.outages.push(outage);
      await this.#connectAnew(signal, outage);
      if (signal.aborted) return;
    }
  }

  /**
   * Sends over the connection until it is lost or the load ends. At the end, it waits one timeout for open messages.
   * @param {AbortSignal} signal
   * @returns {Promise<string | null>} reason of the loss; null if the connection was not lost
   */
  async #useConnection(signal) {
    const {client} = this.connection;
    const life = watch(client);
    const outlet = this.outletOf(client);
    while (life.lost === null && !signal.aborted) {
      const isBehind = await this.#sendDue(outlet, life);
      const stalled = this.#stalledFor(this.now);
      if (stalled !== null) return stalled;
      if (this.hasFailed) return 'a request failed';
      if (this.#isRefused(this.now)) return `all messages were refused for ${refusedAtMostMs} ms`;
      await (isBehind ? yieldToEvents() : this.#untilTick());
    }
    const deadline = this.now + this.options.timeoutMs;
    while (life.lost === null && this.open.size > 0 && this.now < deadline) await sleep(tickMs);
    if (life.lost === null && outlet.flushed) await untilDone(outlet.flushed(), life, this.options.timeoutMs);
    return signal.aborted ? null : life.lost;
  }

  /**
   * Sends due messages for some milliseconds. Without this limit, a transport that always has room would block everything else.
   * @param {Outlet} outlet @param {Life} life @returns {Promise<boolean>} whether more messages are due
   */
  async #sendDue(outlet, life) {
    const {rate, window, timeoutMs} = this.options;
    const startedMs = this.now;
    const due = Math.floor((startedMs * rate) / 1000) + 1;
    this.#answerItself(outlet, due);
    while (
      life.lost === null &&
      this.open.size < window &&
      (!this.isProbing || this.probe === null) &&
      this.now >= this.heldUntilMs
    ) {
      if (this.now - startedMs >= yieldEveryMs) return true;
      const sequence =
        this.again.length > 0 ? this.#nextAgain() : this.log.messages < due ? this.#nextNew() : null;
      if (sequence === null) return false;
      const hasRoom = this.#send(outlet, sequence);
      if (!hasRoom) await untilDone(outlet.drained(), life, timeoutMs);
      this.#answerItself(outlet, due);
    }
    return false;
  }

  /**
   * Answers the next due messages up to one that must be sent. Such answers need no place in the window, and say nothing about the other end.
   * @param {Outlet} outlet @param {number} due
   */
  #answerItself({answersItself}, due) {
    const {log} = this;
    while (answersItself && log.messages < due) {
      const outcome = answersItself(log.messages);
      if (outcome === null) return;
      log.settle(log.send(this.now), outcome, this.now);
    }
  }

  /** Waits for the next tick, or for room in the window. @returns {Promise<void>} */
  #untilTick() {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, tickMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #nextNew() {
    return this.log.send(this.now);
  }

  #nextAgain() {
    const sequence = /** @type {number} */ (this.again.shift());
    this.log.retry(sequence);
    return sequence;
  }

  /** @param {Outlet} outlet @param {number} sequence */
  #send(outlet, sequence) {
    const {open, log} = this;
    const settle = (/** @type {number} */ outcome) => {
      const wasFull = open.size >= this.options.window;
      open.delete(sequence);
      if (this.probe === sequence) this.probe = null;
      log.settle(sequence, outcome, this.now);
      if (wasFull) this.wake();
    };
    if (outlet.settles) open.set(sequence, this.now);
    if (this.isProbing) this.probe = sequence;
    return outlet.send(this.#payload(sequence), {
      taken: () => {
        this.backOff.reset();
        this.isProbing = false;
        this.refusesSinceMs = null;
        settle(outcomes.taken);
      },
      refused: () => {
        this.refusesSinceMs ??= this.now;
        settle(outcomes.refused);
      },
      failed: (error) => this.#fail(sequence, isRefusal(error)),
    });
  }

  /**
   * Handles a message without a reply. A transport that connects for each request reports a lost server only in this way.
   * @param {number} sequence @param {boolean} isRefused
   */
  #fail(sequence, isRefused) {
    if (!this.open.delete(sequence)) return;
    if (this.probe === sequence) this.probe = null;
    this.hasFailed = this.hasOthers;
    this.isProbing = true;
    if (this.options.resend) this.again.push(sequence);
    else if (isRefused) this.log.settle(sequence, outcomes.refused, this.now);
    if (this.now < this.heldUntilMs) return;
    this.heldUntilMs = this.now + this.backOff.nextMs();
  }

  /** Returns the payload of a number, which is the same for each attempt. @param {number} sequence */
  #payload(sequence) {
    const {templates, client} = this.ring;
    const payload = Buffer.from(templates[sequence % templates.length]);
    stampSequence(payload, client, sequence);
    return payload;
  }

  /** @param {number} nowMs */
  #stalledFor(nowMs) {
    const [oldest] = this.open.values();
    if (oldest === undefined || nowMs - oldest < this.options.timeoutMs) return null;
    return `a message had no outcome within ${this.options.timeoutMs} ms`;
  }

  /**
   * A node of a cluster may refuse messages that another node accepts: RabbitMQ refuses on a channel that knows the lost leader of a queue.
   * @param {number} nowMs
   */
  #isRefused(nowMs) {
    return this.hasOthers && this.refusesSinceMs !== null && nowMs - this.refusesSinceMs >= refusedAtMostMs;
  }

  #giveUpOpen() {
    if (this.options.resend) this.again.push(...this.open.keys());
    this.open.clear();
    this.hasFailed = false;
    this.refusesSinceMs = null;
    this.isProbing = false;
    this.probe = null;
  }

  /** @param {AbortSignal} signal @param {{backMs: number | null, attempts: number}} outage */
  async #connectAnew(signal, outage) {
    const backOff = new BackOff();
    while (!signal.aborted) {
      outage.attempts += 1;
      try {
        // One attempt: the wait before the next one is that of this loop.
        if (await this.connection.renew({toNextServer: this.hasOthers, waitMs: 0})) {
          outage.backMs = this.now;
          return;
        }
      } catch {
        // The other end is not available yet.
      }
      await sleep(backOff.nextMs(), undefined, {signal}).catch(() => {});
    }
  }
}

/** The codes of messages that a broker did not pass on. @type {readonly unknown[]} */
const refusals = ['PB_NACK', 'PB_RETURNED'];

/** @param {Error & {code?: string}} error */
function isRefusal({code}) {
  return refusals.includes(code);
}

/** The state of a connection. onLost: called when the connection is lost. @typedef {{lost: string | null, onLost: () => void}} Life */

/** @param {Client} client */
function watch({closed}) {
  /** @type {Life} */
  const life = {lost: null, onLost: () => {}};
  const lose = (/** @type {unknown} */ error) => {
    life.lost = error instanceof Error ? error.message : 'the other end closed the connection';
    life.onLost();
  };
  closed.then(lose, lose);
  return life;
}

/**
 * Resolves when a wait of a transport is over, when the connection is lost, or when the time is over.
 * @param {Promise<unknown>} waiting @param {Life} life @param {number} ms @returns {Promise<void>}
 */
function untilDone(waiting, life, ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    life.onLost = done;
    waiting.then(done, done);
  });
}
