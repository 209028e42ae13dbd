import {performance} from 'node:perf_hooks';
import {RunError} from '../../errors.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {thresholds} from '../../stats/thresholds.js';
import {requestAtRate, warmUpForRate} from '../open-loop/client.js';

/**
 * @import {OpenLoopSettings} from '../open-loop/client.js'
 * @import {OpenLoopDistributions} from '../../results/trial.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/**
 * @typedef {OpenLoopSettings & {maxP99Ms: number}} SearchSettings
 * @typedef {{beside: OpenLoopDistributions<Histogram>, notes: {steps: number, boundMs: number}}} SearchResult
 */

/** The search ends when the lowest failing rate is at most this multiple of the highest holding one. */
const maxGap = 1.05;
/** A p99 needs ten samples above it. */
const minSamples = 1000;
const defaultStepMs = 1000;
/** A step is at most this long, even if it then has too few samples for its p99. */
const maxStepMs = 5000;
const minRate = 1;
const maxSteps = 40;

/**
 * Searches the highest rate that holds. It starts at the rate of the warm-up, doubles until one fails or halves until one holds, and then
 * bisects. Each step is an open loop of its own and starts with nothing in flight.
 *
 * @param {WorkloadContext<SearchSettings>} context
 * @returns {Promise<WorkloadResult<SearchResult>>} with the highest offered rate that held, and the latencies and counts at that rate
 */
export async function measureMaxRate(context) {
  const {options} = context;
  const startedAt = performance.now();
  const warmUp = await warmUpForRate(context);
  const warmUpRate = (warmUp.discarded * 1000) / (performance.now() - startedAt);
  await context.warmedUp();

  const before = readUsage();
  const {best, steps} = await search(Math.max(minRate, warmUpRate), (rate) => tryRate(context, rate));
  const usage = usageSince(before);
  context.onMeasured();
  if (!best) {
    const message = `Not even ${minRate} request per second had its p99 within ${options.maxP99Ms} ms (--find-max-rate).`;
    throw new RunError(message, {code: 'PB_NO_RATE'});
  }
  return {
    ...best.result,
    timed: {messages: best.rate, ms: 1000},
    warmUp,
    usage,
    notes: {steps, boundMs: options.maxP99Ms},
  };
}

/**
 * @template {{rate: number, holds: boolean}} Step
 * @param {number} firstRate
 * @param {(rate: number) => Promise<Step>} attempt
 * @returns {Promise<{best: Step | null, steps: number}>} best: null if not even the minimum rate held
 */
export async function search(firstRate, attempt) {
  /** @type {Step | null} */
  let best = null;
  let failing = Number.POSITIVE_INFINITY;
  let rate = firstRate;
  let steps = 0;
  while (steps < maxSteps) {
    const step = await attempt(rate);
    steps += 1;
    if (step.holds) best = step;
    else failing = rate;
    if (best && failing / best.rate <= maxGap) break;
    if (failing === Number.POSITIVE_INFINITY) rate *= 2;
    else if (best) rate = Math.sqrt(best.rate * failing);
    else if (rate === minRate) break;
    else rate = Math.max(minRate, rate / 2);
  }
  return {best, steps};
}

/** @param {WorkloadContext<SearchSettings>} context @param {number} rate */
async function tryRate(context, rate) {
  const {options} = context;
  const needed = (minSamples * 1000) / rate;
  const durationMs = Math.max(options.durationMs ?? defaultStepMs, Math.min(maxStepMs, needed));
  const load = {...options, rate, samples: null, durationMs};
  const {timed, askedPerSecond, usage: _ofStep, ...result} = await requestAtRate(context, load);
  const p99Ns = result.latency.hdr.getValueAtPercentile(99);
  const achieved = (timed.messages * 1000) / timed.ms;
  const holds =
    result.counts.lost === 0 &&
    p99Ns <= options.maxP99Ms * 1e6 &&
    achieved >= thresholds.achievedShare * askedPerSecond;
  return {rate, holds, result};
}
