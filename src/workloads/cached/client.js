import {accessSync, constants, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {performance} from 'node:perf_hooks';
import {noCounts} from '../../measure/counts.js';
import {mergeWindows, Recorder} from '../../measure/recorder.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {requireOptional} from '../../packages/load.js';
import {exchangeOrFail, exchangeUntil} from '../attempts.js';
import {boundsOf, upTo, warmUpBy} from '../load.js';
import {CachedRequests, openMemory} from './requests.js';

/**
 * @import {RunError, UnavailableError} from '../../errors.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 * @import {Cache, CacheLimits, CacheName, CacheSettings} from './requests.js'
 * @import * as Lmdb from 'lmdb'
 * @import {Key, RootDatabase} from 'lmdb'
 */

/**
 * @typedef {{beside: {hit: Histogram, miss: Histogram, clock: Histogram}, notes: {hits: number, misses: number}}} CacheResult
 * @typedef {keyof CacheResult['beside']} CacheDistribution
 */

const clockReadings = 10_000;

/**
 * Measures consecutive requests through a cache of the client. The measured time is the wait of a user of the cache: for a hit the lookup, for a
 * miss the lookup, the round trip and storing the reply. Hits and misses are mixed in a seeded order with the requested share of hits. The
 * cache is full before the measurement starts.
 *
 * A hit in memory takes about 50 ns, and its measured time includes one reading of the clock, about 40 ns. The clock's resolution is 1 ns at best, so
 * the time of a single hit is coarse, but the mean of many is not. The same process also measures the time between two consecutive
 * readings and reports it as `clock`. Nothing is subtracted.
 * @param {WorkloadContext<CacheSettings>} context @returns {Promise<WorkloadResult<CacheResult>>}
 * @throws {RunError} PB_NO_REPLY, PB_WRONG_REPLY, or the error of the transport when its connection is lost
 * @throws {UnavailableError} when the library of the cache is not installed
 */
export async function measureCached(context) {
  // One state for all parts: the first request after a lost one needs a new connection, whichever part it belongs to.
  const deps = {openCache: await loadCache(context.options.cacheIn), timeouts: {inARow: 0, isLate: false}};
  const requests = new CachedRequests(context, deps);
  try {
    return await measureThrough(requests, context, deps);
  } finally {
    requests.close();
  }
}

/**
 * @param {CachedRequests} requests @param {WorkloadContext<CacheSettings>} context
 * @param {ConstructorParameters<typeof CachedRequests>[1]} deps @returns {Promise<WorkloadResult<CacheResult>>}
 */
async function measureThrough(requests, context, deps) {
  const {options} = context;
  await exchangeOrFail(requests, upTo(requests.replies.capacity));
  requests.restart();
  const warmUp = await warmUpBy(context, async (ring, until, isOfPair) => {
    // A new pair starts with an empty cache, so that all of its first requests use the transport.
    const sent = isOfPair ? new CachedRequests({...context, ring}, deps) : requests;
    await exchangeUntil(sent, until).finally(() => sent !== requests && sent.close());
    return sent.count;
  });
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
    windows: mergeWindows(
      [requests.hit, requests.miss].map((part) => ({windows: part.windows(), samples: part.count})),
    ),
    beside: {hit, miss, clock},
    timed: {messages: latency.count, ms: (latency.mean * latency.count) / 1e6},
    counts: {...noCounts, ...failed, sent: latency.count, received: latency.count - failed.lost, verified},
    warmUp: {...warmUp, discarded: warmUp.discarded + requests.replies.capacity},
    usage,
    notes: {hits: hit.count, misses: miss.count},
  };
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

/**
 * @param {CacheName} name
 * @returns {Promise<(limits: CacheLimits) => Cache>} opens an empty cache of this kind
 * @throws {UnavailableError} when its library is not installed
 */
export async function loadCache(name) {
  return name === 'lmdb' ? await loadLmdb() : openMemory;
}

/** The file system in memory of Linux. */
const ramDrive = '/dev/shm';

/**
 * @returns {(limits: CacheLimits) => Cache} opens an empty database in a file that no other process can open. The file disappears with this process
 * @throws {UnavailableError} when the library is not installed
 */
function loadLmdb() {
  /** @type {typeof Lmdb} */
  const {open} = requireOptional('lmdb', {by: '--cache-in lmdb', install: 'lmdb'});
  return (limits) => {
    const folder = mkdtempSync(join(folderInMemory(), 'perf-battle-cache-'));
    try {
      // The database keeps no values as JavaScript objects and does not wait for a disk.
      const database = open({path: folder, encoding: 'binary', cache: false, noSync: true});
      return makeCache(database, limits);
    } finally {
      rmSync(folder, {recursive: true});
    }
  };
}

/**
 * Makes a cache that evicts the oldest stored reply.
 * @param {RootDatabase<Buffer, Key>} database @param {CacheLimits} limits @returns {Cache}
 */
function makeCache(database, {capacity, onEvicted}) {
  /** In the order of storing. @type {Set<string>} */
  const keys = new Set();
  const evict = (/** @type {string} */ key) => {
    keys.delete(key);
    database.removeSync(key);
    onEvicted(key);
  };
  return {
    get: (key) => database.get(key),
    set(key, reply) {
      const [oldest] = keys;
      if (keys.size === capacity) evict(oldest);
      keys.add(key);
      database.putSync(key, reply);
    },
    close: () => void database.close(),
  };
}

/** Without a RAM drive, returns the system's folder for temporary files. */
function folderInMemory() {
  try {
    accessSync(ramDrive, constants.W_OK);
    return ramDrive;
  } catch {
    return tmpdir();
  }
}
