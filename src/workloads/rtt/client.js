import {performance} from 'node:perf_hooks';
import {setImmediate as yieldToEvents} from 'node:timers/promises';
import {MomentSums} from '../../measure/clock.js';
import {noCounts} from '../../measure/counts.js';
import {Recorder} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {isUnchecked, MessageCheck} from '../../payload/message-check.js';
import {exchangeUntil} from '../attempts.js';
import {isOver, warmUpBy, yieldEveryMs} from '../load.js';
import {measureParts} from '../slices.js';

/**
 * @import {Answer} from '../../payload/message-check.js'
 * @import {PayloadRing} from '../../payload/ring.js'
 * @import {Timeouts} from '../attempts.js'
 * @import {Until, Watch, WorkloadContext, WorkloadResult} from '../workload.js'
 */

/** Number of uncounted samples that are kept. */
const unseenSamples = 1024;

/** @typedef {{answer: Answer, retries: number, anatomy?: boolean}} RoundTripSettings */

/**
 * Keeps one request in flight: the next request is sent when the whole reply to the previous one has arrived. Only the request call is timed.
 * Taking the payload, recording, and checking every byte of the reply happen between two round trips.
 * @param {WorkloadContext<RoundTripSettings>} context
 * @param {(ring: PayloadRing) => Pick<MessageCheck, 'check'>} [checkOf] makes the check of replies to the requests of a ring
 * @returns {Promise<WorkloadResult>}
 * @throws {RunError} PB_NO_REPLY, PB_WRONG_REPLY, or the error of the transport when its connection is lost
 */
export async function measureRoundTrips(context, checkOf = checkReplies(context.options)) {
  // One state for all parts: the first request after a lost one needs a new connection, whichever part it belongs to.
  const timeouts = {inARow: 0, isLate: false};
  // The recorder keeps few samples, so it moves older ones into the histogram, as a long measurement does.
  const unseenOf = (/** @type {PayloadRing} */ ring) =>
    new RoundTrips({...context, ring}, {recorder: new Recorder(unseenSamples), checkOf, timeouts});
  let unseen = unseenOf(context.ring);
  const warmUp = await warmUpBy(context, async (ring, until) => {
    unseen = unseenOf(ring);
    await exchangeUntil(unseen, until);
    return unseen.count;
  });
  await context.warmedUp(0, unseen.count > 0 ? unseen.recorder.medianSince(0) : null);
  const recorder = new Recorder();
  const roundTrips = new RoundTrips(context, {recorder, checkOf, timeouts});

  const before = readUsage();
  const parts = {
    measure: (/** @type {Until} */ until) => exchangeUntil(roundTrips, until),
    discard: (/** @type {Until} */ until) => exchangeUntil(unseen, until),
  };
  const {failed, discarded} = await measureParts(context, before, {
    recorder,
    unseen: unseen.recorder,
    ...parts,
  });
  const usage = usageSince(before);
  context.onMeasured();

  const received = recorder.count - failed.lost;
  const latency = recorder.finish();
  return {
    latency,
    timed: {messages: latency.count, ms: (latency.mean * latency.count) / 1e6},
    counts: {
      ...noCounts,
      ...failed,
      sent: latency.count,
      received,
      verified: isUnchecked(context.options.answer) ? 0 : received,
    },
    windows: recorder.windows(),
    ...(roundTrips.moments && {moments: roundTrips.moments.sums()}),
    warmUp: {discarded: warmUp.discarded + discarded},
    usage: {...usage, checkingMs: roundTrips.checkingMs},
  };
}

/** @param {Pick<RoundTripSettings, 'answer'>} options */
function checkReplies({answer}) {
  return (/** @type {PayloadRing} */ ring) => new MessageCheck(ring, {answer, every: 1});
}

class RoundTrips {
  /**
   * @param {WorkloadContext<RoundTripSettings>} context
   * @param {{recorder: Recorder, checkOf: (ring: PayloadRing) => Pick<MessageCheck, 'check'>, timeouts: Timeouts}} deps
   */
  constructor(context, {recorder, checkOf, timeouts}) {
    this.context = context;
    // The hot loop reads these fields and not the context, whose shape differs between counted and uncounted parts: V8 compiles it for one shape.
    this.connection = context.connection;
    this.ring = context.ring;
    this.recorder = recorder;
    this.checkingMs = 0;
    this.timeouts = timeouts;
    this.moments = context.options.anatomy ? new MomentSums() : null;
    this.check = checkOf(context.ring);
  }

  get count() {
    return this.recorder.count;
  }

  get asked() {
    return this.recorder.count;
  }

  /** @param {number} ms */
  lose(ms) {
    this.recorder.record(ms);
  }

  /** The hot loop. @param {Until} until @param {Watch} watch @param {number} spentMs */
  async run(until, watch, spentMs) {
    const {recorder, check, connection, ring, moments} = this;
    const {client} = connection;
    let yieldedAt = performance.now();
    let earlierMs = spentMs;
    for (;;) {
      const sequence = ring.taken;
      const request = ring.next();
      const before = performance.now();
      const reply = await client.request(request);
      const after = performance.now();
      if (watch.abandoned) return;
      recorder.record(after - before + earlierMs);
      moments?.add(before, after);
      earlierMs = 0;
      check.check(reply, sequence);
      this.checkingMs += performance.now() - after;
      if (isOver(until, recorder.count, after)) return;
      if (after - yieldedAt >= yieldEveryMs) {
        await yieldToEvents();
        yieldedAt = performance.now();
      }
    }
  }
}
