import {noCounts} from '../../../measure/counts.js';
import {encodeNumbers} from '../../../measure/message-log.js';
import {readUsage, usageSince} from '../../../measure/usage.js';
import {MessageCheck, SequenceTracker} from '../../../payload/message-check.js';
import {sequenceOf, stampSequence} from '../../../payload/stamp.js';
import {CheckTally} from '../../check-tally.js';
import {timeoutsOf, whileMoving} from '../../send-all.js';

/**
 * @import {Consumption, OnConsumed} from '../../../transports/transport.js'
 * @import {WorkloadContext, WorkloadResult, WorkloadRole} from '../../workload.js'
 */

/** Empties a durable queue that another client has filled. @satisfies {WorkloadRole} */
export const role = {
  needs: ['store'],
  hasServer: false,
  concurrency: () => 1,
  client: async () => drainStore,
};

/** Number of the last message, which no message of a load has. */
const lastSequence = 2 ** 40;

/** Number of timeouts to wait, because a broker that has just started may still be busy with its queues. */
const timeouts = 6;

/**
 * Takes all messages out of the queue. A last message, which the role itself puts in, shows that the queue is empty: a queue keeps the order.
 * @param {WorkloadContext} context @returns {Promise<WorkloadResult>}
 * @throws {RunError} PB_STALLED
 */
async function drainStore(context) {
  await context.warmedUp();
  const before = readUsage();
  const {store, closed} = context.connection.client;
  if (!store) throw new TypeError('This transport stores no messages.');
  const {ring, options, signal} = context;
  const tally = new CheckTally(new MessageCheck(ring, {answer: 'echo', every: 1}));
  const tracker = new SequenceTracker();
  /** @type {Set<number>} */
  const received = new Set();
  /** @type {Set<number> | null} null if the transport does not report acknowledgements */
  const acknowledged = store.consume ? new Set() : null;
  /** @type {Promise<void>[]} */
  const acknowledging = [];
  let taken = 0;
  /** @type {Promise<void>} */
  const last = new Promise((resolve, reject) => {
    /** @type {OnConsumed} */
    const onMessage = (payload, acknowledge) => {
      taken += 1;
      const sequence = sequenceOf(payload);
      if (acknowledge) {
        const done = acknowledge().then(() => void acknowledged?.add(sequence));
        // The loss of a connection before the last message is reported separately.
        done.catch(() => {});
        acknowledging.push(done);
      }
      if (sequence === lastSequence) return resolve(untilSettled(acknowledging, taking));
      const {corrupted} = tally;
      tally.take(payload, sequence);
      // A corrupted message is not the message that was put in.
      if (tally.corrupted > corrupted) return;
      tracker.add(sequence);
      received.add(sequence);
    };
    const taking = store.consume
      ? store.consume(onMessage)
      : store.take(Number.POSITIVE_INFINITY, (payload) => onMessage(payload, null));
    taking.catch(reject);
  });
  store.put(lastOf(ring));
  const bound = timeoutsOf(options, timeouts);
  await whileMoving(last, {
    ...{closed, signal, timeoutMs: bound.ms, moved: () => taken},
    describe: () => `The queue delivered nothing for ${bound.text}; ${taken} messages came before.`,
  });
  context.onMeasured();
  const {duplicated, reordered} = tracker;
  const {verified, corrupted, mismatch} = tally;
  return {
    latency: null,
    timed: null,
    counts: {...noCounts, received: received.size, verified, duplicated, reordered, corrupted},
    warmUp: {discarded: 0},
    usage: usageSince(before),
    mismatch,
    account: {
      received: encodeNumbers(received),
      ...(acknowledged && {acknowledged: encodeNumbers(acknowledged)}),
    },
  };
}

/** @param {readonly Promise<void>[]} acknowledging @param {Promise<Consumption | void>} taking */
async function untilSettled(acknowledging, taking) {
  await Promise.all(acknowledging);
  await (await taking)?.settled?.();
}

/** @param {WorkloadContext['ring']} ring */
function lastOf({templates, client}) {
  const payload = Buffer.from(templates[0]);
  stampSequence(payload, client, lastSequence);
  return payload;
}
