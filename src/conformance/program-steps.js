import {setTimeout as sleep} from 'node:timers/promises';
import {mean} from 'simple-statistics';
import {sentOf} from '../roles/programs/contract.js';
import {SilentError} from '../roles/programs/program.js';
import {workloadResultOf} from '../roles/programs/workload-result.js';
import {defaultWorkload, oneWayWorkload, workloads} from '../workloads/index.js';
import {fail} from './program-pair.js';

/**
 * What checks of a pair of programs consist of.
 *
 * @import {Usage} from '../measure/types.js'
 * @import {Arrived, ProgramResult} from '../roles/programs/contract.js'
 * @import {Length, Pair} from './program-pair.js'
 */

/** A client that notices a failure has this long to say so. */
const noticeMs = 8000;

/** @param {Pair} pair @param {Length} [length] */
export async function configure(pair, length = {}) {
  await pair.configureServer(length);
  await pair.configureClient(length);
}

/**
 * Sends messages one way, and asks the server for them.
 * @param {Pair} pair @param {Length} length
 * @returns {Promise<{result: ProgramResult, early: number, arrived: Arrived}>} early: what had arrived when the client was done
 */
export async function sendOneWay(pair, length) {
  await configure(pair, {...length, workload: oneWayWorkload});
  const before = await pair.warmUp();
  if (!(before > 0)) fail('the client did not say how many messages its warm-up sent');
  await pair.arrival(before);
  await pair.mark();
  const result = await pair.result();
  const early = await pair.arrivedSoFar();
  const sent = sentOf(result);
  workloadResultOf(
    result,
    {...length, workload: workloads[oneWayWorkload], timeoutMs: 0},
    /** @type {Usage} */ ({}),
  );
  if (sent !== length.samples) fail(`the client sent ${sent} messages in place of ${length.samples}`);
  await pair.arrival(sent);
  const {arrived} = await pair.mark();
  if (arrived?.messages !== sent)
    return fail(`the server counted ${arrived?.messages ?? 0} of ${sent} messages`);
  if (arrived.corrupted > 0) fail(`${arrived.corrupted} of them had wrong content`);
  return {result, early, arrived};
}

/** @param {Pair} pair */
export function relayOf({relay}) {
  return relay ?? fail('the server has no address');
}

/** @param {ProgramResult} result @param {number} samples @param {Length} [length] */
export function requireClean(result, samples, length = {}) {
  const sent = sentOf(result);
  if (sent !== samples) fail(`the client has ${sent} samples in place of ${samples}`);
  const workload = workloads[length.workload ?? defaultWorkload];
  // Also what a battle would refuse.
  workloadResultOf(result, {window: 1, ...length, workload, timeoutMs: 0}, /** @type {Usage} */ ({}));
  if (isShort(result)) fail(`only ${result.received} of ${sent} requests had a reply`);
}

/** @param {ProgramResult} result */
export function isShort(result) {
  return (result.received ?? 0) < sentOf(result);
}

/** @param {ProgramResult} result */
export function meanMs({samplesNs = [], encoded}) {
  return encoded ? encoded.meanMs : mean(samplesNs) / 1e6;
}

/**
 * Measures, and requires that the client notices what went wrong: by an error, by its end, or in its result.
 * @param {Pair} pair @param {(result: ProgramResult) => boolean} isReported @param {string} what went wrong
 */
export async function noticed(pair, isReported, what) {
  const outcome = await Promise.race([
    pair.result().catch((error) => /** @type {Error} */ (error)),
    sleep(noticeMs, null, {ref: false}),
  ]);
  if (outcome === null || outcome instanceof SilentError)
    return fail(`the client did not notice ${what} within ${noticeMs / 1000} s`);
  if (outcome instanceof Error) return outcome.message;
  if (!isReported(outcome))
    fail(`the client reported ${sentOf(outcome)} good round trips in spite of ${what}`);
  return 'reported in its result';
}

/** @param {Pair} pair the roles that still run */
export function running({started}) {
  const roles = started.filter(({process}) => process.failure === null).map(({role}) => `the ${role}`);
  return roles.join(' and ') || 'a process';
}
