import {RunError} from '../errors.js';
import {noCounts} from '../measure/counts.js';
import {SubWindows} from '../measure/sub-windows.js';
import {Histogram} from '../stats/histogram.js';
import {workloads} from '../workloads/index.js';
import {sentOf} from './contract.js';

/**
 * @import {Usage} from '../measure/usage.js'
 * @import {WorkloadResult} from '../workloads/workload.js'
 * @import {ProgramResult} from './contract.js'
 */

/**
 * What a program measured, as if a client of perf-battle had.
 * @param {ProgramResult} result
 * @param {{workload: string, timeoutMs: number}} options
 * @param {Usage} usage of the program, of the measured part
 * @returns {WorkloadResult}
 * @throws {RunError} PB_NO_REPLY; of round trips PB_WRONG_REPLY; PB_ADAPTER when not all replies were compared, or a rate cannot be computed
 */
export function workloadResultOf(result, {workload, timeoutMs}, usage) {
  const {received, verified, corrupted, timedOut, duplicated, discarded, mismatch, phases} = result;
  const sent = sentOf(result);
  if (received === 0)
    throw new RunError(`None of ${sent} requests had a reply within ${timeoutMs} ms.`, {code: 'PB_NO_REPLY'});
  const {isRoundTrips = false, needs} = workloads[workload];
  if (isRoundTrips) refuseUnverified(result);
  if (needs.includes('store') !== (phases !== undefined)) refuseKind(phases);
  const counts = {
    ...noCounts,
    sent,
    received,
    lost: sent - received,
    verified,
    corrupted,
    timedOut,
    duplicated,
  };
  const figures = phases ? figuresOfPhases(phases) : figuresOfSamples(result, isRoundTrips);
  return {...figures, counts, mismatch, usage, warmUp: {discarded}};
}

/** @param {ProgramResult['phases']} phases @returns {never} */
function refuseKind(phases) {
  throw new RunError(
    `The program of the client wrote a result ${phases ? 'with' : 'without'} phases: they belong to a workload that stores messages.`,
    {code: 'PB_ADAPTER'},
  );
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

/** @param {ProgramResult} result @param {boolean} isRoundTrips */
function figuresOfSamples(result, isRoundTrips) {
  const {latency, windows} = samplesOf(result);
  return {latency, windows, timed: timedOf(result, latency, isRoundTrips)};
}

/** @param {ProgramResult} result of round trips one after the other: there is time to compare each reply */
function refuseUnverified({received, verified, corrupted, mismatch}) {
  if (corrupted > 0) {
    const first = mismatch === null ? '' : ` The first: ${mismatch}`;
    throw new RunError(`${corrupted} of ${received} replies had wrong content.${first}`, {
      code: 'PB_WRONG_REPLY',
    });
  }
  if (verified < received)
    throw new RunError(
      `The program of the client compared only ${verified} of ${received} replies with their requests.`,
      {code: 'PB_ADAPTER'},
    );
}

/** @param {ProgramResult} result */
function samplesOf({samplesNs, encoded, windows}) {
  if (encoded) return {latency: decode(encoded), windows: windows ?? null};
  const latency = new Histogram();
  const means = new SubWindows();
  for (const sampleNs of samplesNs ?? []) {
    latency.add(sampleNs);
    means.add(sampleNs / 1e6);
  }
  return {latency, windows: means.means()};
}

/** @param {NonNullable<ProgramResult['encoded']>} encoded */
function decode(encoded) {
  try {
    const histogram = Histogram.decode(encoded);
    if (histogram.hdr.totalCount === encoded.samples) return histogram;
  } catch {
    // It is reported below.
  }
  throw new RunError(
    `The program of the client wrote a histogram that does not decode to its ${encoded.samples} samples.`,
    {code: 'PB_ADAPTER'},
  );
}

/**
 * Of round trips one after the other, the rate is the inverse of their mean. What a program does between them does not count.
 * @param {ProgramResult} result
 * @param {Histogram} latency
 * @param {boolean} isRoundTrips
 */
function timedOf({durationMs, received}, latency, isRoundTrips) {
  if (isRoundTrips) return {messages: latency.count, ms: (latency.mean * latency.count) / 1e6};
  if (durationMs !== undefined) return {messages: received, ms: durationMs};
  throw new RunError(
    'The program of the client wrote a result without durationMs, which this workload needs.',
    {
      code: 'PB_ADAPTER',
    },
  );
}
