import {performance} from 'node:perf_hooks';
import {RunError} from '../../errors.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {thresholds} from '../../stats/thresholds.js';
import {requestAtRate, warmUpForRate} from '../open-loop/client.js';
import {rateOfAll} from '../schedule.js';
import {searchMaxRate} from './search.js';
import {maxSearchMs, stepMs} from './step.js';

/**
 * @import {OpenLoopSettings} from '../open-loop/requests.js'
 * @import {OpenLoopDistributions} from '../../results/trial.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/**
 * @typedef {OpenLoopSettings & {maxP99Ms: number}} SearchSettings
 * @typedef {{beside: OpenLoopDistributions<Histogram>, notes: {steps: number, boundMs: number}}} SearchResult
 */

/**
 * Searches the highest rate that holds, starting at the rate of the warm-up. Each step is an open loop of its own and starts with nothing
 * in flight.
 *
 * @param {WorkloadContext<SearchSettings>} context
 * @returns {Promise<WorkloadResult<SearchResult>>} with the offered rate that was confirmed, and the latencies and counts of its
 *   confirmation run
 * @throws {RunError} PB_NO_RATE, PB_NO_REPLY, or what the transport rejects with when its connection dies
 */
export async function measureMaxRate(context) {
  const {options} = context;
  const startedAt = performance.now();
  const warmUp = await warmUpForRate(context);
  const warmUpRate = (warmUp.discarded * 1000) / (performance.now() - startedAt);
  await context.warmedUp();

  const before = readUsage();
  const lastMs = performance.now() + maxSearchMs(warmUpRate, options.durationMs);
  const {found, steps} = await searchMaxRate(
    warmUpRate,
    (rate, how) => tryRate(context, rate, how),
    () => performance.now() >= lastMs,
  );
  const usage = usageSince(before);
  context.onMeasured();
  if (!found) {
    const message = `In ${steps} steps no rate was found whose p99 stayed within ${options.maxP99Ms} ms twice (--find-max-rate). Look for other load on the hosts, or allow a longer time.`;
    throw new RunError(message, {code: 'PB_NO_RATE'});
  }
  return {
    ...found.step.result,
    // Those of one step say nothing of the warm-up.
    windows: null,
    timed: {messages: found.rate, ms: 1000},
    warmUp,
    usage,
    notes: {steps, boundMs: options.maxP99Ms},
  };
}

/** @param {WorkloadContext<SearchSettings>} context @param {number} rate @param {{confirms: boolean}} how */
async function tryRate(context, rate, {confirms}) {
  const {options} = context;
  const durationMs = stepMs(rate, {durationMs: options.durationMs, confirms});
  const load = {...options, rate, samples: null, durationMs};
  const {timed, schedule, usage: _ofStep, ...result} = await requestAtRate(context, load);
  const p99Ns = result.latency.hdr.getValueAtPercentile(99);
  const holds =
    result.counts.lost === 0 &&
    p99Ns <= options.maxP99Ms * 1e6 &&
    rateOfAll([timed]) >= thresholds.achievedShare * rateOfAll([schedule]);
  return {holds, result};
}
