import {outcomes} from '../../measure/message-log.js';
import {SequenceTracker} from '../../payload/message-check.js';

/**
 * @import {Consumed} from '../../messages.js'
 * @import {Log} from '../../measure/message-log.js'
 */

/**
 * What came out of a queue.
 * @typedef {object} Drained
 * @property {Set<number>} received the numbers of the messages
 * @property {Set<number> | null} acknowledged of these, those that the consumer acknowledged to the broker; null: its transport does not say
 * @property {number} duplicated
 * @property {number} reordered
 * @property {number} corrupted
 */

/** What the consumers of a queue did with its messages, one process after the other, as each reported it while it lived. */
export class Consumption {
  constructor() {
    /** When each message was finished first, by the monotonic clock of the host. @type {Map<number, number>} */
    this.finishedMs = new Map();
    /** @type {Set<number>} */
    this.acknowledged = new Set();
    /** Of all that came. */
    this.arrivals = new SequenceTracker();
    /** Of each process. @type {Map<object, number>} */
    this.corrupted = new Map();
  }

  /** @param {object} process of the consumer @param {Consumed} event */
  add(process, {atMs, arrived, finished, acknowledged, corrupted}) {
    for (const sequence of arrived) this.arrivals.add(sequence);
    for (const sequence of finished) if (!this.finishedMs.has(sequence)) this.finishedMs.set(sequence, atMs);
    for (const sequence of acknowledged) this.acknowledged.add(sequence);
    this.corrupted.set(process, corrupted);
  }

  /**
   * With what was still in the queue afterwards. A message that came to a consumer which then ended, and came again, counts as a duplicate.
   * @param {Drained} rest @returns {Drained}
   */
  with(rest) {
    const before = this.arrivals.duplicated;
    for (const sequence of rest.received) this.arrivals.add(sequence);
    const again = this.arrivals.duplicated - before;
    const corrupted = [...this.corrupted.values()].reduce((sum, count) => sum + count, rest.corrupted);
    return {
      received: new Set([...this.finishedMs.keys(), ...rest.received]),
      acknowledged: new Set([...this.acknowledged, ...(rest.acknowledged ?? [])]),
      duplicated: before + rest.duplicated + again,
      reordered: this.arrivals.reordered,
      corrupted,
    };
  }

  /**
   * The log of the sender, in which a message that a consumer finished takes the place of one that the broker confirmed: so an outage is that of the
   * consumers.
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
