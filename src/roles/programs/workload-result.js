import {inflateSync} from 'node:zlib';
import {RunError} from '../../errors.js';
import {noCounts} from '../../measure/counts.js';
import {mergeWindows, SubWindows} from '../../measure/recorder.js';
import {Histogram, mistakeInEncoded} from '../../stats/histogram.js';
import {notAllowed, sentOf} from './contract.js';

/**
 * @import {Usage} from '../../measure/types.js'
 * @import {WorkloadResult, WorkloadRole} from '../../workloads/workload.js'
 * @import {ProgramResult} from './contract.js'
 */

const minSampleMs = 1e-6;
/** Means are sums of rounded numbers. */
const rounding = 1e-9;
/** Kind and length at the start of a compressed HdrHistogram. */
const headerBytes = 8;
const maxInflatedBytes = 4 * 1024 ** 2;

/** The allowed difference between the number of hits and the requested share. A mix is exact only over some requests. */
const mixTolerance = {requests: 20, share: 0.01};

/**
 * Converts the result of a program to that of a perf-battle client.
 * @param {ProgramResult} result
 * @param {{workload: WorkloadRole, timeoutMs: number, closingCall?: boolean, pairwise?: boolean, hitRatio?: number, rows?: number | null,
 *   window?: number | null}} options
 * @param {Usage} usage of the program, in the measured part
 * @returns {WorkloadResult}
 * @throws {RunError} PB_NO_REPLY; PB_WRONG_REPLY for round trips and rows; PB_ADAPTER when not all replies were compared, when the share of
 *   hits or the number of rows is wrong, or when a rate cannot be computed
 */
export function workloadResultOf(
  result,
  {workload, timeoutMs, closingCall = false, pairwise = false, hitRatio, rows = null, window},
  usage,
) {
  const {received = 0, verified = 0, corrupted, timedOut, duplicated, discarded, mismatch} = result;
  const sent = sentOf(result);
  const {isRoundTrips = false, needs} = workload;
  refuseKind(result, {
    phases: needs.includes('store') && !pairwise,
    sent: needs.includes('send'),
    cache: hitRatio !== undefined,
    rows: rows !== null,
  });
  const common = {mismatch, usage, warmUp: {discarded}};
  if (needs.includes('send'))
    return {...figuresOfSender(result, closingCall), counts: {...noCounts, sent}, ...common};
  if (received === 0)
    throw new RunError(`None of ${sent} requests had a reply within ${timeoutMs} ms.`, {code: 'PB_NO_REPLY'});
  if (isRoundTrips) refuseUnverified(result);
  if (rows !== null) refuseWrongRows(result, rows);
  const lost = sent - received;
  const counts = {...noCounts, sent, received, lost, verified, corrupted, timedOut, duplicated};
  const {phases, cache} = result;
  const isRowsOneByOne = rows !== null && window === 1;
  if (cache) return {...figuresOfCache(cache, hitRatio ?? 0), counts, ...common};
  return {
    ...(phases ? figuresOfPhases(phases) : figuresOfSamples(result, isRoundTrips || isRowsOneByOne)),
    ...{counts, ...common},
    ...(result.rows !== undefined && {notes: {rows: result.rows}}),
  };
}

/** Fields that only the results of some workloads have. */
const kinds = /** @type {const} */ ([
  ['phases', 'that puts all messages into a queue, and then takes all of them out'],
  ['sent', 'that sends one way'],
  ['cache', 'with a cache of the client'],
  ['rows', 'whose replies have rows'],
]);

/** @param {ProgramResult} result @param {Record<typeof kinds[number][0], boolean>} belongs */
function refuseKind(result, belongs) {
  for (const [field, what] of kinds) {
    const isThere = result[field] !== undefined;
    if (isThere !== belongs[field])
      throw notAllowed(
        `The program of the client wrote a result ${isThere ? 'with' : 'without'} ${field}: they belong to a workload ${what}.`,
      );
  }
}

/**
 * The servers time one-way messages. With a closing call, the sender times them, too.
 * @param {ProgramResult} result @param {boolean} closingCall
 */
function figuresOfSender({sent = 0, durationMs: ms}, closingCall) {
  if (closingCall && ms === undefined) throw withoutDuration();
  return {
    ...{latency: null, windows: null, timed: null},
    phases: closingCall && ms !== undefined ? {sender: {messages: sent, ms}} : {},
  };
}

/** @param {NonNullable<ProgramResult['phases']>} phases */
function figuresOfPhases(phases) {
  const {enqueue, dequeue} = phases;
  return {
    latency: null,
    windows: null,
    phases,
    timed: {messages: enqueue.messages, ms: enqueue.ms + dequeue.ms},
  };
}

/**
 * Checks that the share of hits is close to the requested share.
 * @param {NonNullable<ProgramResult['cache']>} cache @param {number} hitRatio
 */
function figuresOfCache({hitsNs, missesNs}, hitRatio) {
  const requests = hitsNs.length + missesNs.length;
  if (Math.abs(hitsNs.length - hitRatio * requests) > mixTolerance.requests + mixTolerance.share * requests)
    throw notAllowed(
      `The cache of the client program answered ${hitsNs.length} of ${requests} requests; the share of hits was to be ${hitRatio}.`,
    );
  const hit = distributionOf(hitsNs);
  const miss = distributionOf(missesNs);
  const latency = new Histogram();
  for (const part of [hit, miss]) latency.merge(part.latency);
  return {
    ...{latency, timed: {messages: requests, ms: (latency.mean * requests) / 1e6}},
    windows: mergeWindows([hit, miss].map(({latency: {count}, windows}) => ({windows, samples: count}))),
    beside: {hit: hit.latency, miss: miss.latency},
    notes: {hits: hitsNs.length, misses: missesNs.length},
  };
}

/** @param {ProgramResult} result @param {boolean} isRoundTrips */
function figuresOfSamples(result, isRoundTrips) {
  const {latency, windows} = samplesOf(result);
  return {latency, windows, timed: timedOf(result, latency, isRoundTrips)};
}

/** @param {ProgramResult} result */
function refuseCorrupted({received = 0, corrupted, mismatch}) {
  if (corrupted > 0) {
    const first = mismatch === null ? '' : ` The first: ${mismatch}`;
    throw new RunError(`${corrupted} of ${received} replies had wrong content.${first}`, {
      code: 'PB_WRONG_REPLY',
    });
  }
}

/** @param {ProgramResult} result of consecutive round trips, which leave time to compare each reply */
function refuseUnverified(result) {
  refuseCorrupted(result);
  const {received = 0, verified = 0} = result;
  if (verified < received)
    throw notAllowed(
      `The program of the client compared only ${verified} of ${received} replies with their requests.`,
    );
}

/** @param {ProgramResult} result @param {number} rows of each reply */
function refuseWrongRows(result, rows) {
  refuseCorrupted(result);
  const {received = 0, verified = 0, rows: decoded = 0} = result;
  if (decoded !== received * rows)
    throw new RunError(
      `The program of the client decoded ${decoded} rows in ${received} replies of ${rows} rows each.`,
      {code: 'PB_WRONG_REPLY'},
    );
  if (verified === 0)
    throw notAllowed('The program of the client compared no reply with the rows that it expected.');
}

/** @param {ProgramResult} result */
function samplesOf({samplesNs, encoded, windows}) {
  if (!encoded) return distributionOf(samplesNs ?? []);
  const mistake = mistakeInProgram(encoded, windows ?? []);
  if (mistake === null) return {latency: Histogram.decode(encoded), windows: windows ?? null};
  throw notAllowed(`The program of the client wrote samples that cannot be true: ${mistake}.`);
}

/** @param {readonly number[]} samplesNs in the order of time */
function distributionOf(samplesNs) {
  const latency = new Histogram();
  const means = new SubWindows();
  for (const sampleNs of samplesNs) {
    latency.add(sampleNs);
    means.add(sampleNs / 1e6);
  }
  return {latency, windows: means.means()};
}

/**
 * @param {NonNullable<ProgramResult['encoded']>} encoded @param {readonly number[]} windows
 * @returns {string | null} the field and its error
 */
function mistakeInProgram(encoded, windows) {
  const {minMs, maxMs, histogram} = encoded;
  if (minMs < minSampleMs) return `encoded.minMs: it is ${minMs}, and no round trip takes less than 1 ns`;
  if (isTooLong(histogram)) return 'encoded.histogram: it cannot be decoded';
  const mistake = mistakeInEncoded(encoded);
  if (mistake !== null) return `encoded.${mistake}`;
  const outside = windows.find((mean) => mean < minMs * (1 - rounding) || mean > maxMs * (1 + rounding));
  return outside === undefined ? null : `windows: ${outside} is not between encoded.minMs and encoded.maxMs`;
}

/** Returns whether a small histogram would inflate to data that fills the memory. @param {string} histogram as base64 */
function isTooLong(histogram) {
  try {
    inflateSync(Buffer.from(histogram, 'base64').subarray(headerBytes), {maxOutputLength: maxInflatedBytes});
    return false;
  } catch {
    return true;
  }
}

/**
 * The rate of consecutive round trips is the inverse of their mean. The time between them does not count.
 * @param {ProgramResult} result @param {Histogram} latency @param {boolean} isRoundTrips
 */
function timedOf({durationMs, received = 0}, latency, isRoundTrips) {
  if (isRoundTrips) return {messages: latency.count, ms: (latency.mean * latency.count) / 1e6};
  if (durationMs !== undefined) return {messages: received, ms: durationMs};
  throw withoutDuration();
}

function withoutDuration() {
  return notAllowed(
    'The program of the client wrote a result without durationMs, which this workload needs.',
  );
}
