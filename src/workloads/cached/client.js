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
 * @import {CacheResult} from './columns.js'
 * @import {CacheSettings} from './requests.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 * @import {Until} from '../load.js'
 */

const clockReadings = 10_000;

/**
 * Requests through a cache of the client, one at a time. The measured time is what a user of the cache waits for. For a hit that is the
 * lookup; for a miss it is the lookup, the round trip and storing the reply. Hits and misses are mixed in a seeded order with the requested
 * share of hits. The cache is full before the measurement starts.
 *
 * A hit takes about 50 ns, and its measured time includes one reading of the clock, about 40 ns. The clock's resolution is 1 ns at best, so
 * the time of a single hit is coarse, but the mean of many is not. The same process also measures the time between two consecutive
 * readings and reports it as `clock`. Nothing is subtracted.
 *
 * @param {WorkloadContext<CacheSettings>} context
 * @returns {Promise<WorkloadResult<CacheResult>>}
 * @throws {RunError} PB_NO_REPLY, PB_WRONG_REPLY, or what the transport rejects with when its connection dies
 */
export async function measureCached(context) {
  const {options} = context;
  const requests = new CachedRequests(context);
  await exchangeOrFail(requests, {samples: requests.replies.capacity, atMs: Number.POSITIVE_INFINITY});
  requests.restart();
  const pace = new WarmUpPace(requests);
  const warmUp = await warmUpBy(options.warmUp, pace, (until) => exchangeUntil(requests, pace.start(until)));
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
 * The pace by which the warm-up settles: the median of the misses, because they use the transport. Without misses it is the mean time of a
 * request, because the clock is too coarse for the median of single hits.
 */
class WarmUpPace {
  /** @param {CachedRequests} requests */
  constructor(requests) {
    this.requests = requests;
    this.misses = 0;
    this.startedAt = 0;
  }

  get count() {
    return this.requests.count;
  }

  /** @param {Until} until */
  start(until) {
    this.misses = this.requests.miss.count;
    this.startedAt = performance.now();
    return until;
  }

  /** @param {number} from */
  medianSince(from) {
    const {miss, count} = this.requests;
    if (miss.count > this.misses) return miss.medianSince(this.misses);
    return (performance.now() - this.startedAt) / (count - from);
  }
}

/** @returns {Histogram} of the time between two consecutive readings */
function timeTheClock() {
  const recorder = new Recorder(clockReadings + 1);
  for (let count = 0; count < clockReadings; count += 1) {
    const before = performance.now();
    const after = performance.now();
    recorder.record(after - before);
  }
  return recorder.finish();
}
