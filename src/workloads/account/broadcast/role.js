import {randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../../../errors.js';
import {monotonicMs} from '../../../measure/clock.js';
import {bounded} from '../../../net/bounded.js';
import {MessageCheck, SequenceTracker} from '../../../payload/message-check.js';
import {sequenceOf} from '../../../payload/stamp.js';
import {CheckTally} from '../../check-tally.js';
import {minSubscribeMs, subscribe} from '../../fan-out/subscription.js';
import {firstDelayMs, jittered, maxDelayMs, sendSteadily} from '../steady-load.js';

/**
 * @import {Client} from '../../../transports/transport.js'
 * @import {WorkloadContext, WorkloadResult, WorkloadRole} from '../../workload.js'
 * @import {Outlet, SteadySettings} from '../steady-load.js'
 */

/**
 * @typedef {SteadySettings & {subscribers: number, quietMs: number}} BroadcastSettings quietMs: after the load, all copies have arrived if none has arrived
 *   for this time
 */

/**
 * A steady load of messages to several subscribers. The publisher and its subscribers are one process, each with its own connection, like the workload
 * that measures them. A message has arrived when the last subscriber has it.
 * @satisfies {WorkloadRole<BroadcastSettings>}
 */
export const role = {
  needs: ['broadcast'],
  hasServer: true,
  broadcasts: true,
  concurrency: ({window}) => window,
  client: async () => broadcastSteadily,
  server: async () => (await import('../../fan-out/server.js')).makeHub,
};

/** @param {WorkloadContext<BroadcastSettings>} context @returns {Promise<WorkloadResult>} */
export async function broadcastSteadily(context) {
  const arrivals = new Arrivals(context);
  const group = randomUUID();
  const subscribers = Array.from(
    {length: context.options.subscribers},
    () => new Subscriber(context, group, arrivals),
  );
  const leaving = new AbortController();
  try {
    // They connect one after the other, because a server may refuse many simultaneous connections.
    for (const subscriber of subscribers) await subscriber.subscribe();
    for (const subscriber of subscribers) subscriber.stay(leaving.signal);
    const result = await sendSteadily(context, outletOf);
    await arrivals.untilAll(result.counts.sent);
    const {corrupted, mismatch} = arrivals.tally;
    return {...result, counts: {...result.counts, corrupted}, mismatch};
  } finally {
    leaving.abort();
    await Promise.all(subscribers.map((subscriber) => subscriber.close()));
  }
}

/** @param {Client} client @returns {Outlet} */
function outletOf({broadcast, send, drained, flushed}) {
  if (broadcast) {
    const publish = (/** @type {Buffer} */ payload) => {
      broadcast.publish(payload);
      return true;
    };
    return {send: publish, drained: async () => {}, settles: false};
  }
  if (!send || !drained || !flushed) throw new TypeError('This transport cannot send one way.');
  return {send: (payload) => send(payload), drained, flushed, settles: false};
}

/** Reports each message when all subscribers have it. The reports survive the end of the process. */
class Arrivals {
  /** @param {WorkloadContext<BroadcastSettings>} context */
  constructor({ring, options, onConsumed}) {
    if (!onConsumed) throw new TypeError('Nobody hears what these subscribers receive.');
    this.onConsumed = onConsumed;
    this.subscribers = options.subscribers;
    this.quietMs = options.quietMs;
    this.tally = new CheckTally(new MessageCheck(ring, {answer: 'echo', every: 1}));
    /** How many subscribers have a message that not all have. @type {Map<number, number>} */
    this.copies = new Map();
    this.complete = 0;
    this.lastMs = monotonicMs();
    /** Numbers to report. A second copy for the same subscriber is reported as a second arrival. @type {number[]} */
    this.arrived = [];
    /** @type {number[]} */
    this.finished = [];
    this.isReporting = false;
  }

  /** @param {Buffer} message @param {SequenceTracker} own the tracker of the subscriber */
  take(message, own) {
    const {corrupted} = this.tally;
    const sequence = sequenceOf(message);
    this.tally.take(message, sequence);
    this.lastMs = monotonicMs();
    this.#reportSoon();
    // A corrupted message is not the message that was published.
    if (this.tally.corrupted > corrupted) return;
    if (!own.add(sequence)) {
      this.arrived.push(sequence);
      return;
    }
    const copies = (this.copies.get(sequence) ?? 0) + 1;
    if (copies < this.subscribers) {
      this.copies.set(sequence, copies);
      return;
    }
    this.copies.delete(sequence);
    this.complete += 1;
    this.arrived.push(sequence);
    this.finished.push(sequence);
  }

  #reportSoon() {
    if (this.isReporting) return;
    this.isReporting = true;
    setImmediate(() => {
      this.isReporting = false;
      const {arrived, finished} = this;
      [this.arrived, this.finished] = [[], []];
      if (arrived.length > 0)
        this.onConsumed({arrived, finished, acknowledged: [], corrupted: this.tally.corrupted});
    });
  }

  /** Resolves when all subscribers have all messages, or when no copy has arrived for some time. @param {number} messages */
  async untilAll(messages) {
    const sinceMs = monotonicMs();
    while (this.complete < messages && monotonicMs() < Math.max(sinceMs, this.lastMs) + this.quietMs)
      await sleep(checkEveryMs);
  }
}

const checkEveryMs = 20;

/** A subscriber that subscribes again after the loss of its connection. */
class Subscriber {
  /** The connection. @type {Client | null} */
  #client = null;
  /** @type {(error: Error) => void} */
  #lose = () => {};
  /** Rejects when the current subscription ends. @type {Promise<never>} */
  #lost = new Promise(() => {});
  /** The rest of a chunk: the begin of the next message. @type {Buffer} */
  #rest = Buffer.alloc(0);
  /** Where a broker that keeps messages continues. @type {unknown} */
  #position = null;

  /** @param {WorkloadContext<BroadcastSettings>} context @param {string} group @param {Arrivals} arrivals */
  constructor({connection, ring, options}, group, arrivals) {
    this.connection = /** @type {Required<WorkloadContext['connection']>} */ (connection);
    this.bytes = ring.payloadBytes;
    this.timeoutMs = Math.max(options.timeoutMs, minSubscribeMs);
    this.group = group;
    this.arrivals = arrivals;
    this.tracker = new SequenceTracker();
  }

  /** @throws {Error} when the subscriber cannot connect, or is not subscribed in time */
  async subscribe() {
    await this.close();
    this.#rest = Buffer.alloc(0);
    const client = await this.connection.another();
    this.#client = client;
    this.#lost = new Promise((_, reject) => {
      this.#lose = reject;
    });
    this.#lost.catch(() => {});
    client.closed.then(
      () => this.#lose(new RunError('The connection has ended.', {code: 'PB_CONNECTION_LOST'})),
      this.#lose,
    );
    const subscribed = subscribe(client, this.group, {
      onChunk: (chunk) => this.#take(chunk),
      onEnd: this.#lose,
      after: this.#position,
    });
    await Promise.race([bounded(subscribed, this.timeoutMs), this.#lost]);
  }

  /** Subscribes again after each loss, until the signal aborts. @param {AbortSignal} signal */
  async stay(signal) {
    let delayMs = firstDelayMs;
    while (!signal.aborted) {
      await this.#lost.catch(() => {});
      this.#position = this.#client?.broadcast?.position?.() ?? this.#position;
      while (!signal.aborted) {
        try {
          await this.subscribe();
          delayMs = firstDelayMs;
          break;
        } catch {
          // The other end is not available yet.
          await sleep(jittered(delayMs), undefined, {signal}).catch(() => {});
          delayMs = Math.min(maxDelayMs, delayMs * 2);
        }
      }
    }
    await this.close();
  }

  /** Divides what arrives into messages: parts of a reply may come together, or cut. @param {Buffer} chunk */
  #take(chunk) {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= this.bytes) {
      this.arrivals.take(rest.subarray(0, this.bytes), this.tracker);
      rest = rest.subarray(this.bytes);
    }
    this.#rest = rest;
  }

  async close() {
    const client = this.#client;
    this.#client = null;
    await client?.close();
  }
}
