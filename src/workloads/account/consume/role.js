import {monotonicMs} from '../../../measure/clock.js';
import {noCounts} from '../../../measure/counts.js';
import {readUsage, usageSince} from '../../../measure/usage.js';
import {MessageCheck} from '../../../payload/message-check.js';
import {sequenceOf} from '../../../payload/stamp.js';
import {CheckTally} from '../../check-tally.js';
import {untilEnd} from '../steady-load.js';

/** @import {WorkloadContext, WorkloadResult, WorkloadRole} from '../../workload.js' */

/** Consumes a queue while another client fills it, and reports the state of each message. @satisfies {WorkloadRole} */
export const role = {
  needs: ['store'],
  hasServer: false,
  concurrency: () => 1,
  client: async () => consumeSteadily,
};

/** The consumer works this long on each message, like a service that waits for a database. If it acknowledged a message before, the message is lost when it ends. */
const workMs = 20;
const tickMs = 5;

/**
 * Consumes until the battle ends the load, or kills this process. At the end of the load, it finishes the messages that it holds.
 * @param {WorkloadContext} context @returns {Promise<WorkloadResult>}
 */
export async function consumeSteadily(context) {
  const {store, closed} = context.connection.client;
  if (!store?.consume) throw new TypeError('This transport has no consumer that a fault can end.');
  await context.warmedUp();
  const before = readUsage();
  const work = new Work(context);
  const timer = setInterval(() => work.tick(), tickMs);
  try {
    const {end} = await store.consume((payload, acknowledge) => work.begin(payload, acknowledge));
    await Promise.race([untilEnd(context), closed]);
    await Promise.race([end(), closed]);
    await Promise.race([work.finishAll(), closed]);
  } finally {
    clearInterval(timer);
  }
  context.onMeasured();
  return {
    latency: null,
    timed: null,
    counts: {...noCounts, received: work.finished, corrupted: work.tally.corrupted},
    warmUp: {discarded: 0},
    usage: usageSince(before),
    mismatch: work.tally.mismatch,
  };
}

/** The messages that a consumer works on, in the order of arrival. Its reports survive the end of the process. */
class Work {
  /** @param {WorkloadContext} context */
  constructor({ring, onConsumed}) {
    if (!onConsumed) throw new TypeError('Nobody hears what this consumer does.');
    this.report = onConsumed;
    this.tally = new CheckTally(new MessageCheck(ring, {answer: 'echo', every: 1}));
    /** @type {{sequence: number, acknowledge: (() => Promise<void>) | null, dueMs: number}[]} */
    this.held = [];
    /** Numbers of the messages that have arrived since the last report. @type {number[]} */
    this.arrived = [];
    this.finished = 0;
    /** @type {Set<Promise<void>>} */
    this.acknowledging = new Set();
  }

  /** @param {Buffer} payload @param {(() => Promise<void>) | null} acknowledge */
  begin(payload, acknowledge) {
    const sequence = sequenceOf(payload);
    const {corrupted} = this.tally;
    this.tally.take(payload, sequence);
    const isWhole = this.tally.corrupted === corrupted;
    // A corrupted message is not the message that was put in.
    if (isWhole) this.arrived.push(sequence);
    this.held.push({sequence: isWhole ? sequence : Number.NaN, acknowledge, dueMs: monotonicMs() + workMs});
  }

  /** Finishes the due messages, and reports them before acknowledging: if the process ends in between, the broker delivers them again. */
  tick() {
    const now = monotonicMs();
    const due = this.held.findIndex(({dueMs}) => dueMs > now);
    const done = this.held.splice(0, due === -1 ? this.held.length : due);
    const finished = numbersOf(done);
    this.finished += finished.length;
    if (done.length > 0 || this.arrived.length > 0)
      this.report({arrived: this.arrived, finished, acknowledged: [], corrupted: this.tally.corrupted});
    this.arrived = [];
    if (done.some(({acknowledge}) => acknowledge !== null)) this.#acknowledge(done);
  }

  async finishAll() {
    while (this.held.length > 0) await new Promise((resolve) => setTimeout(resolve, tickMs));
    await Promise.all(this.acknowledging);
  }

  /** @param {Work['held']} done */
  #acknowledge(done) {
    const acknowledged = numbersOf(done);
    const {corrupted} = this.tally;
    const all = Promise.all(done.map(({acknowledge}) => acknowledge?.()))
      .then(() => this.report({arrived: [], finished: [], acknowledged, corrupted}))
      // The loss of the connection is reported separately.
      .catch(() => {})
      .finally(() => this.acknowledging.delete(all));
    this.acknowledging.add(all);
  }
}

/** Returns the numbers of uncorrupted messages. @param {Work['held']} held */
function numbersOf(held) {
  return held.map(({sequence}) => sequence).filter((sequence) => !Number.isNaN(sequence));
}
