import {performance} from 'node:perf_hooks';
import {noCounts} from '../../measure/counts.js';
import {Recorder} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {warmUpBy} from '../../measure/warm-up.js';
import {exchangeOrFail, exchangeUntil} from '../attempts.js';
import {boundsOf} from '../load.js';
import {CachedRequests} from './requests.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {CacheSettings} from './requests.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 * @import {Until} from '../load.js'
 */

const clockReadings = 10_000;

/**
 * Requests through a cache of the client, one outstanding. Their time is what a user of the cache waits for: of a hit that of the lookup,
 * of a miss that of the lookup, the round trip and putting the reply into the cache. The share of hits is the one asked for, in a seeded
 * order that mixes them; the cache is full before anything counts.
 *
 * A hit takes some 50 ns and reading the clock some 40 ns, of which the time of each hit holds one reading. The clock's resolution is 1 ns
 * here at best, so single hits are coarse and their mean is not. What two readings without anything between them are apart is measured in
 * the same process, and stands beside the hits as `clock`; nothing is subtracted.
 *
 * @param {WorkloadContext<CacheSettings>} context
 * @returns {Promise<WorkloadResult>}
 * @throws {RunError} PB_NO_REPLY, PB_WRONG_REPLY, or what the transport rejects with when its connection dies
 */
export async function measureCached(context) {
  const {options} = context;
  const requests = new CachedRequests(context);
  await exchangeOrFail(requests, {samples: requests.replies.capacity, atMs: Number.POSITIVE_INFINITY});
  requests.restart();
  const pace = new WarmUpPace(requests);
  const warmUp = await warmUpBy(options.warmUp, pace, (until) => exchangeUntil(requests, pace.begin(until)));
  const clock = timeTheClock();
  await context.warmedUp();
  requests.restart();

  const before = readUsage();
  const failed = await exchangeUntil(requests, boundsOf(options));
  const usage = usageSince(before);
  context.onMeasured();

  const {verified} = requests;
  const hit = requests.hit.finish();
  const miss = requests.miss.finish();
  const latency = new Recorder(1).finish();
  latency.merge(hit);
  latency.merge(miss);
  return {
    latency,
    beside: {hit, miss, clock},
    timed: {messages: latency.count, ms: (latency.mean * latency.count) / 1e6},
    counts: {...noCounts, ...failed, sent: latency.count, received: latency.count - failed.lost, verified},
    warmUp: {...warmUp, discarded: warmUp.discarded + requests.replies.capacity},
    usage,
    notes: {hits: hit.count, misses: miss.count},
  };
}

/**
 * What a warm-up looks at: the misses, in which the transport shows. Where there are none, how long a hit takes with all that goes on around
 * it: the steps of the clock are too coarse for the median of single hits.
 */
class WarmUpPace {
  /** @param {CachedRequests} requests */
  constructor(requests) {
    this.requests = requests;
    this.misses = 0;
    this.beganAt = 0;
  }

  get count() {
    return this.requests.count;
  }

  /** @param {Until} until */
  begin(until) {
    this.misses = this.requests.miss.count;
    this.beganAt = performance.now();
    return until;
  }

  /** @param {number} from */
  medianSince(from) {
    const {miss, count} = this.requests;
    if (miss.count > this.misses) return miss.medianSince(this.misses);
    return (performance.now() - this.beganAt) / (count - from);
  }
}

/** @returns {Histogram} of the distances of two readings, one right after the other */
function timeTheClock() {
  const recorder = new Recorder(clockReadings + 1);
  for (let count = 0; count < clockReadings; count += 1) {
    const before = performance.now();
    const after = performance.now();
    recorder.record(after - before);
  }
  return recorder.finish();
}
