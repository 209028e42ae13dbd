import {outcomes} from '../../measure/message-log.js';
import {SequenceTracker} from '../../payload/message-check.js';

/**
 * @import {Consumed} from '../../messages.js'
 * @import {Log} from '../../measure/message-log.js'
 * @import {Drained} from './types.js'
 */

/** @type {Drained} */
const nothingLeft = {received: new Set(), acknowledged: null, duplicated: 0, reordered: 0, corrupted: 0};

/** The reports of the successive consumers of a queue, or receivers of one-way messages, on their messages. */
export class Consumption {
  /** @param {{areParallel?: boolean | undefined}} [how] areParallel: whether several processes receive at the same time, so that only the order of each counts */
  constructor({areParallel = false} = {}) {
    this.areParallel = areParallel;
    /** The arrivals of each process. @type {Map<object, SequenceTracker>} */
    this.arrivalsBy = new Map();
    /** When each message was finished first, by the monotonic clock of the host. @type {Map<number, number>} */
    this.finishedMs = new Map();
    /** @type {Set<number>} */
    this.acknowledged = new Set();
    this.arrivals = new SequenceTracker();
    /** The number of corrupted messages of each process. @type {Map<object, number>} */
    this.corrupted = new Map();
    this.lastMs = 0;
    /** The copies for subscribers that came again, or out of order; null: the arrivals show them. @type {Consumed['copies'] | null} */
    this.copies = null;
  }

  /** @param {object} process the consumer @param {Consumed} event */
  add(process, {atMs, arrived, finished, acknowledged, corrupted, copies}) {
    this.copies = copies ?? this.copies;
    const own = this.arrivalsBy.get(process) ?? new SequenceTracker();
    this.arrivalsBy.set(process, own);
    for (const sequence of arrived) {
      this.arrivals.add(sequence);
      own.add(sequence);
    }
    for (const sequence of finished) if (!this.finishedMs.has(sequence)) this.finishedMs.set(sequence, atMs);
    for (const sequence of acknowledged) this.acknowledged.add(sequence);
    this.corrupted.set(process, corrupted);
    this.lastMs = atMs;
  }

  /**
   * Adds the messages that were still in the queue. A message that arrived again after the end of its first consumer counts as a duplicate.
   * @param {Drained} [rest] without it there was no queue
   * @returns {Drained}
   */
  with(rest = nothingLeft) {
    const before = this.arrivals.duplicated;
    for (const sequence of rest.received) this.arrivals.add(sequence);
    const again = this.arrivals.duplicated - before;
    const inEach = [...this.arrivalsBy.values()].reduce((sum, {reordered}) => sum + reordered, 0);
    const corrupted = [...this.corrupted.values()].reduce((sum, count) => sum + count, rest.corrupted);
    return {
      received: new Set([...this.finishedMs.keys(), ...rest.received]),
      acknowledged: rest.acknowledged && new Set([...this.acknowledged, ...rest.acknowledged]),
      duplicated: before + rest.duplicated + again,
      reordered: this.areParallel ? inEach : this.arrivals.reordered,
      ...this.copies,
      corrupted,
    };
  }

  /**
   * Replaces the outcomes in a sender's log: a message is taken when a consumer finished it, rather than when the broker confirmed it. Outages in
   * the new log are outages of the consumers.
   * @param {Log} log @returns {Log}
   */
  finishedIn(log) {
    const {messages, startMs} = log;
    const settledMs = new Float32Array(messages).fill(Number.NaN);
    const all = new Uint8Array(messages).fill(outcomes.open);
    for (const [sequence, atMs] of this.finishedMs) {
      if (sequence >= messages) continue;
      settledMs[sequence] = atMs - startMs;
      all[sequence] = outcomes.taken;
    }
    return {...log, settles: true, settledMs, outcomes: all};
  }
}
