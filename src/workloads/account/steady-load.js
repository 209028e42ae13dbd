import {setTimeout as sleep, setImmediate as yieldToEvents} from 'node:timers/promises';
import {monotonicMs} from '../../measure/clock.js';
import {MessageLog, outcomes} from '../../measure/message-log.js';
import {noCounts} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {stampSequence} from '../../payload/stamp.js';
import {yieldEveryMs} from '../load.js';

/**
 * @import {Client} from '../../transports/transport.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/**
 * @typedef {object} SteadySettings
 * @property {number} rate messages per second
 * @property {number} window messages that may be open at once
 * @property {boolean} resend whether a message whose outcome is not known is sent again after a loss of the connection
 *
 * @typedef {(payload: Buffer, outcome: {taken: () => void, refused: () => void, failed: () => void}) => boolean} SendOne false: wait for `drained` before the next
 *
 * @typedef {object} Outlet how one connection sends
 * @property {SendOne} send
 * @property {() => Promise<void>} drained
 * @property {boolean} settles whether an outcome follows each message
 */

/** How long the load waits between two looks at what is due. */
const tickMs = 1;
/** The wait before a new attempt to connect: it doubles, with jitter, up to a bound (https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter). */
const firstDelayMs = 25;
const maxDelayMs = 500;
/** After this time without any message that was taken, a client of several nodes uses the next one. */
const refusedAtMostMs = 1000;

/**
 * Sends messages at fixed times until the battle ends the load. A lost connection is opened anew. A message that is due while the window is full, or while
 * there is no connection, is sent as soon as possible.
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
    /** Ends the wait for the next look at what is due. */
    this.wake = () => {};
    /** The open messages of this connection, by number; each with when it was sent. @type {Map<number, number>} */
    this.open = new Map();
    /** To be sent again. @type {number[]} */
    this.again = [];
    /** After a failure, nothing is sent before this time, and then one message at a time until one has its outcome. */
    this.heldUntilMs = 0;
    this.isProbing = false;
    /** Of that one. What was open before may never have an outcome. @type {number | null} */
    this.probe = null;
    this.delayMs = firstDelayMs;
    const {servers, brokers = []} = connection.options ?? {servers: []};
    this.hasOthers = Math.max(servers.length, brokers.length) > 1;
    /** Of several servers, whether the one of this connection did not answer a request. */
    this.hasFailed = false;
    /** Since when the other end has refused all messages. @type {number | null} */
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
   * Sends over the connection until it is lost or the load ends. At the end, open messages have the time of one timeout.
   * @param {AbortSignal} signal
   * @returns {Promise<string | null>} why it was lost; null: it was not
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
    return signal.aborted ? null : life.lost;
  }

  /**
   * Sends what is due, for some milliseconds: a transport that always has room would hold up everything else.
   * @param {Outlet} outlet @param {Life} life
   * @returns {Promise<boolean>} whether more is due
   */
  async #sendDue(outlet, life) {
    const {rate, window, timeoutMs} = this.options;
    const startedMs = this.now;
    const due = Math.floor((startedMs * rate) / 1000) + 1;
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
      if (!hasRoom) await untilRoom(outlet, life, timeoutMs);
    }
    return false;
  }

  /** Until the next look at what is due, or until there is room in the window. @returns {Promise<void>} */
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
    this.log.resent += 1;
    return /** @type {number} */ (this.again.shift());
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
        this.delayMs = firstDelayMs;
        this.isProbing = false;
        this.refusesSinceMs = null;
        settle(outcomes.taken);
      },
      refused: () => {
        this.refusesSinceMs ??= this.now;
        settle(outcomes.refused);
      },
      failed: () => this.#fail(sequence),
    });
  }

  /** A transport that connects for each request reports a lost server only so. What became of the message is not known. @param {number} sequence */
  #fail(sequence) {
    if (!this.open.delete(sequence)) return;
    if (this.probe === sequence) this.probe = null;
    this.hasFailed = this.hasOthers;
    this.isProbing = true;
    if (this.options.resend) this.again.push(sequence);
    if (this.now < this.heldUntilMs) return;
    this.heldUntilMs = this.now + jittered(this.delayMs);
    this.delayMs = Math.min(maxDelayMs, this.delayMs * 2);
  }

  /** The payload of a number is the same whenever it is sent. @param {number} sequence */
  #payload(sequence) {
    const {templates, client} = this.ring;
    const payload = Buffer.from(templates[sequence % templates.length]);
    stampSequence(payload, client, sequence);
    return payload;
  }

  /** @param {number} nowMs @returns {string | null} */
  #stalledFor(nowMs) {
    const [oldest] = this.open.values();
    if (oldest === undefined || nowMs - oldest < this.options.timeoutMs) return null;
    return `a message had no outcome within ${this.options.timeoutMs} ms`;
  }

  /**
   * A node of a cluster may refuse what another one takes: RabbitMQ refuses on a channel that knows a queue by its lost leader.
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
    let delayMs = firstDelayMs;
    while (!signal.aborted) {
      outage.attempts += 1;
      try {
        if (await this.connection.renew({toNextServer: this.hasOthers})) {
          outage.backMs = this.now;
          return;
        }
      } catch {
        // The other end is not there yet.
      }
      await sleep(jittered(delayMs), undefined, {signal}).catch(() => {});
      delayMs = Math.min(maxDelayMs, delayMs * 2);
    }
  }
}

/** Clients that lost the same server must not come back at the same moment. @param {number} ms */
function jittered(ms) {
  return ms * (0.5 + Math.random());
}

/** Of a connection. onLost: called once it is lost. @typedef {{lost: string | null, onLost: () => void}} Life */

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
 * Resolves when there is room for a message, when the connection is lost, or when the time is over.
 * @param {Outlet} outlet @param {Life} life @param {number} ms @returns {Promise<void>}
 */
function untilRoom(outlet, life, ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    life.onLost = done;
    outlet.drained().then(done, done);
  });
}
