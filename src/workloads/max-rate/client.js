import {performance} from 'node:perf_hooks';
import {RunError} from '../../errors.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {thresholds} from '../../stats/thresholds.js';
import {requestAtRate, warmUpForRate} from '../open-loop/client.js';

/**
 * @import {OpenLoopSettings} from '../open-loop/client.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/** @typedef {OpenLoopSettings & {maxP99Ms: number}} SearchSettings */

/** The search ends when the rate that holds and the one that does not are this close. */
const closeEnough = 1.05;
/** A p99 needs ten samples above it. */
const fewestSamples = 1000;
const usualStepMs = 1000;
/** As long as a step may become for the sake of its p99. */
const longestStepMs = 5000;
const lowestRate = 1;
const mostSteps = 40;

/**
 * Searches the highest rate that holds: doubled from the rate of the warm-up until one does not hold (halved until one does), then
 * bisected. Each step is an open loop of its own, which begins with nothing outstanding.
 *
 * @param {WorkloadContext<SearchSettings>} context
 * @returns {Promise<WorkloadResult>} the rate is the highest offered that held; latencies and counts are those at it
 */
export async function measureMaxRate(context) {
  const {options} = context;
  const began = performance.now();
  const warmUp = await warmUpForRate(context);
  const warmUpRate = (warmUp.discarded * 1000) / (performance.now() - began);
  await context.warmedUp();

  const before = readUsage();
  const {best, steps} = await search(Math.max(lowestRate, warmUpRate), (rate) => tryRate(context, rate));
  const usage = usageSince(before);
  context.onMeasured();
  if (!best) {
    const message = `Not even ${lowestRate} request per second had its p99 within ${options.maxP99Ms} ms (--find-max-rate).`;
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
 * @param {number} begin rate
 * @param {(rate: number) => Promise<Step>} attempt
 * @returns {Promise<{best: Step | null, steps: number}>} best: null when not even the lowest rate held
 */
export async function search(begin, attempt) {
  /** @type {Step | null} */
  let best = null;
  let failing = Number.POSITIVE_INFINITY;
  let rate = begin;
  let steps = 0;
  while (steps < mostSteps) {
    const step = await attempt(rate);
    steps += 1;
    if (step.holds) best = step;
    else failing = rate;
    if (best && failing / best.rate <= closeEnough) break;
    if (failing === Number.POSITIVE_INFINITY) rate *= 2;
    else if (best) rate = Math.sqrt(best.rate * failing);
    else if (rate === lowestRate) break;
    else rate = Math.max(lowestRate, rate / 2);
  }
  return {best, steps};
}

/** @param {WorkloadContext<SearchSettings>} context @param {number} rate */
async function tryRate(context, rate) {
  const {options} = context;
  const needed = (fewestSamples * 1000) / rate;
  const durationMs = Math.max(options.durationMs ?? usualStepMs, Math.min(longestStepMs, needed));
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
