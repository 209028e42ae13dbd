import {randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../../../errors.js';
import {monotonicMs} from '../../../measure/clock.js';
import {bounded} from '../../../net/bounded.js';
import {MessageCheck, SequenceTracker} from '../../../payload/message-check.js';
import {sequenceOf} from '../../../payload/stamp.js';
import {CheckTally} from '../../check-tally.js';
import {minSubscribeMs, subscribe} from '../../fan-out/subscription.js';
import {BackOff} from '../back-off.js';
import {sendSteadily} from '../steady-load.js';
import {oneWayOutlet} from '../stream/role.js';

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
    // A subscriber that fails to leave does not fail the load.
    for (const subscriber of subscribers) subscriber.stay(leaving.signal).catch(() => {});
    const {window} = context.options;
    const result = await sendSteadily(context, (client) => outletOf(client, window));
    await arrivals.untilAll(result.counts.sent);
    arrivals.report();
    const {corrupted, mismatch} = arrivals.tally;
    return {...result, counts: {...result.counts, corrupted}, mismatch};
  } finally {
    leaving.abort();
    await Promise.allSettled(subscribers.map((subscriber) => subscriber.close()));
  }
}

/**
 * A broker that reports what it has taken has at most a window of messages on their way. Otherwise, a slow one would lose all that waits for it.
 * @param {Client} client @param {number} window @returns {Outlet}
 */
export function outletOf(client, window) {
  const {broadcast} = client;
  if (!broadcast) return oneWayOutlet(client);
  let onTheirWay = 0;
  let onRoom = () => {};
  const onTaken = () => {
    onTheirWay -= 1;
    if (onTheirWay < window) onRoom();
  };
  const publish = (/** @type {Buffer} */ payload) => {
    if (broadcast.reportsTaken) onTheirWay += 1;
    broadcast.publish(payload, onTaken);
    return onTheirWay < window;
  };
  const drained = async () => {
    if (onTheirWay < window) return;
    await new Promise((resolve) => {
      onRoom = () => resolve(null);
    });
  };
  return {send: publish, drained, settles: false};
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
    /** How many subscribers are not subscribed now. */
    this.away = 0;
    /** One for each subscriber. @type {SequenceTracker[]} */
    this.trackers = [];
    /** The numbers of the messages to report. @type {number[]} */
    this.finished = [];
    this.isReporting = false;
  }

  /** @returns {SequenceTracker} of one more subscriber */
  track() {
    const tracker = new SequenceTracker();
    this.trackers.push(tracker);
    return tracker;
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
    if (!own.add(sequence)) return;
    const copies = (this.copies.get(sequence) ?? 0) + 1;
    if (copies < this.subscribers) {
      this.copies.set(sequence, copies);
      return;
    }
    this.copies.delete(sequence);
    this.complete += 1;
    this.finished.push(sequence);
  }

  #reportSoon() {
    if (this.isReporting) return;
    this.isReporting = true;
    setImmediate(() => this.report());
  }

  /** Also reports what has come since the last turn of the event loop. */
  report() {
    if (!this.isReporting) return;
    this.isReporting = false;
    const {finished, trackers} = this;
    this.finished = [];
    const sumOf = (/** @type {'duplicated' | 'reordered'} */ key) =>
      trackers.reduce((sum, tracker) => sum + tracker[key], 0);
    const copies = {duplicated: sumOf('duplicated'), reordered: sumOf('reordered')};
    const {corrupted} = this.tally;
    this.onConsumed({arrived: finished, finished, acknowledged: [], corrupted, copies});
  }

  /**
   * Resolves when all subscribers have all messages, or when all are subscribed and no copy has arrived for some time.
   * @param {number} messages
   */
  async untilAll(messages) {
    const sinceMs = monotonicMs();
    while (this.complete < messages) {
      const now = monotonicMs();
      const isQuiet = now >= Math.max(sinceMs, this.lastMs) + this.quietMs;
      if (isQuiet && (this.away === 0 || now >= sinceMs + awayAtMostMs)) return;
      await sleep(checkEveryMs);
    }
  }
}

const checkEveryMs = 20;
/** A broker that was started again may accept a connection, and answer later. */
const awayAtMostMs = 15_000;

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
  /** Whether something has come over this connection. */
  #hasTaken = false;
  /** Where a broker that keeps messages continues. @type {unknown} */
  #position = null;

  /** @param {WorkloadContext<BroadcastSettings>} context @param {string} group @param {Arrivals} arrivals */
  constructor({connection, ring, options}, group, arrivals) {
    this.connection = /** @type {Required<WorkloadContext['connection']>} */ (connection);
    this.bytes = ring.payloadBytes;
    this.timeoutMs = Math.max(options.timeoutMs, minSubscribeMs);
    this.group = group;
    this.arrivals = arrivals;
    this.tracker = arrivals.track();
    /** Grows with each subscription that ended without a message. */
    this.backOff = new BackOff();
  }

  /** @throws {Error} when the subscriber cannot connect, or is not subscribed in time */
  async subscribe() {
    this.#position = this.#client?.broadcast?.position?.() ?? this.#position;
    await this.close();
    this.#hasTaken = false;
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
    for (;;) {
      await this.#lost.catch(() => {});
      if (signal.aborted) return;
      this.arrivals.away += 1;
      await this.#subscribeAgain(signal);
      this.arrivals.away -= 1;
    }
  }

  /** @param {AbortSignal} signal */
  async #subscribeAgain(signal) {
    for (let isAtOnce = this.#hasTaken; !signal.aborted; isAtOnce = false) {
      if (!isAtOnce) {
        await sleep(this.backOff.nextMs(), undefined, {signal}).catch(() => {});
      }
      try {
        await this.subscribe();
        break;
      } catch {
        // The other end is not available yet.
      }
    }
    if (signal.aborted) await this.close();
  }

  /** Divides what arrives into messages: parts of a reply may come together, or cut. @param {Buffer} chunk */
  #take(chunk) {
    this.#hasTaken = true;
    this.backOff.reset();
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
    this.#lose(new RunError('The subscriber has left.', {code: 'PB_CLOSED'}));
    await client?.close();
  }
}
