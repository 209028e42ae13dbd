import {performance} from 'node:perf_hooks';
import {RunError} from '../../errors.js';
import {readUsage, usageSince} from '../../measure/usage.js';
import {thresholds} from '../../stats/thresholds.js';
import {requestAtRate, warmUpForRate} from '../open-loop/client.js';
import {rateOfAll} from '../schedule.js';
import {maxSearchMs, stepMs} from './step.js';

/**
 * @import {OpenLoopDistributions} from '../../results/types.js'
 * @import {Histogram} from '../../stats/histogram.js'
 * @import {OpenLoopSettings} from '../open-loop/client.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/**
 * @typedef {OpenLoopSettings & {maxP99Ms: number}} SearchSettings
 * @typedef {{beside: OpenLoopDistributions<Histogram>, notes: {steps: number, boundMs: number}}} SearchResult
 */

/**
 * Searches the highest rate that holds, starting at the rate of the warm-up. Each step is a separate open loop and starts with nothing in
 * flight.
 * @param {WorkloadContext<SearchSettings>} context
 * @returns {Promise<WorkloadResult<SearchResult>>} with the confirmed offered rate, and the latencies and counts of its confirmation run
 * @throws {RunError} PB_NO_RATE, PB_NO_REPLY, or the error of the transport when its connection is lost
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
    // The windows of one step say nothing about the warm-up.
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

/**
 * The rule by which a search finds the highest rate that holds. It is pure: the caller sends the messages and measures the time.
 *
 * A disturbed second can fail a step at a rate that holds. So no single step decides:
 *
 * 1. A rate is given up only after two consecutive failures.
 * 2. The resulting rate must hold in a confirmation run. If the run fails twice, the next lower rate is tried. When the time is over, the
 *    steps down grow, so that a search ends with a rate that holds rather than with none.
 * 3. The lowest failed rate is tried again before the confirmation and after it, some seconds later. If it holds, the search continues
 *    upward.
 */

/** A climb ends when the lowest failing rate is at most this multiple of the highest holding rate. A confirmation steps down by this factor. */
const maxGap = 1.05;
const minRate = 1;
/** The factor by which the rate grows until a rate fails. Above a limit that held after all, the first factor is smaller. */
const maxGrowth = 2;
const growthPastLimit = maxGap ** 2;
/** The search ends after about this many steps. Without disturbances it takes 14 (median). */
const maxSteps = 100;
/** A confirmation steps down at most this often, to 0.61 of the rate. Then the search restarts from there. */
const maxStepsDown = 10;
/** The maximum number of restarts. */
const maxRestarts = 4;

/**
 * @template {{holds: boolean}} Step the result of a step
 * @param {number} firstRate
 * @param {(rate: number, how: {confirms: boolean}) => Promise<Step>} tryRate runs one step
 * @param {() => boolean} [isLate] whether the search must end: it then confirms the highest rate that held so far
 * @returns {Promise<{found: {rate: number, step: Step} | null, steps: number}>} found: with its confirmation run; null if not even the
 *   minimum rate held, or no rate was confirmed
 */
export async function searchMaxRate(firstRate, tryRate, isLate = () => false) {
  const asking = new Asking(tryRate, isLate);
  /** @type {{rate: number, step: Step} | null} */
  let found = null;
  let start = startAt(Math.max(minRate, firstRate));
  for (let restart = 0; restart <= maxRestarts; restart += 1) {
    const {held, limit} = await climb(start, asking);
    if (held === null && limit === minRate) break;
    const confirmed = await confirm(held ?? Math.max(minRate, limit / 2), asking);
    if (confirmed.step.holds) {
      if (found === null || confirmed.rate > found.rate) found = confirmed;
      if (asking.mustEnd || !(await asking.once(limit)).holds) break;
      start = startAbove(limit);
    } else if (found || asking.mustEnd) break;
    else start = startAt(confirmed.rate);
  }
  return {found, steps: asking.steps};
}

/**
 * @typedef {{held: number | null, rate: number, growth: number}} Start held: a rate that held; rate: the next rate; growth: the factor
 *   of the increase after the next rate
 */

/** @param {number} rate @returns {Start} */
function startAt(rate) {
  return {held: null, rate, growth: maxGrowth};
}

/**
 * The disturbance that failed the limit has passed, and may have failed other rates. The true limit may be near, so the first steps are small.
 * @param {number} held @returns {Start}
 */
function startAbove(held) {
  return {held, rate: held * growthPastLimit, growth: growthPastLimit ** 2};
}

/**
 * Raises the rate until a rate fails, or halves it until a rate holds, and then bisects.
 * @template {{holds: boolean}} Step
 * @param {Start} start @param {Asking<Step>} asking
 * @returns {Promise<{held: number | null, limit: number}>} held: the highest rate that held, or null; limit: the lowest rate that failed
 */
async function climb(start, asking) {
  let {held, rate, growth} = start;
  let limit = Number.POSITIVE_INFINITY;
  for (;;) {
    if ((await asking.twice(rate)).holds) held = rate;
    else if (rate === minRate && (await asking.once(rate)).holds) held = rate;
    else limit = rate;
    if (asking.mustEnd || (held === null && rate === minRate)) return {held, limit};
    if (held === null) rate = Math.max(minRate, rate / 2);
    else if (limit === Number.POSITIVE_INFINITY) {
      rate = held * growth;
      growth = Math.min(maxGrowth, growth ** 2);
    } else if (limit / held > maxGap) rate = Math.sqrt(held * limit);
    else {
      if (!(await asking.once(limit)).holds) return {held, limit};
      ({held, rate, growth} = startAbove(limit));
      limit = Number.POSITIVE_INFINITY;
    }
  }
}

/**
 * @template {{holds: boolean}} Step
 * @param {number} highest @param {Asking<Step>} asking
 * @returns {Promise<{rate: number, step: Step}>} the highest confirmed rate, or the lowest tried rate
 */
async function confirm(highest, asking) {
  let rate = highest;
  let gap = maxGap;
  for (let down = 0; ; down += 1) {
    const step = await asking.twice(rate, {confirms: true});
    if (step.holds || down === maxStepsDown || rate === minRate) return {rate, step};
    // The search cannot restart after its end, so growing steps find a rate that holds.
    if (asking.mustEnd) gap **= 2;
    rate = Math.max(minRate, rate / gap);
  }
}

/** Runs steps and counts them. @template {{holds: boolean}} Step */
class Asking {
  /** @param {(rate: number, how: {confirms: boolean}) => Promise<Step>} tryRate @param {() => boolean} isLate */
  constructor(tryRate, isLate) {
    this.tryRate = tryRate;
    this.isLate = isLate;
    this.steps = 0;
  }

  /** @param {number} rate @param {{confirms: boolean}} [how] */
  once(rate, how = {confirms: false}) {
    this.steps += 1;
    return this.tryRate(rate, how);
  }

  get mustEnd() {
    return this.steps >= maxSteps || this.isLate();
  }

  /** Repeats a step that does not hold. @param {number} rate @param {{confirms: boolean}} [how] */
  async twice(rate, how) {
    const first = await this.once(rate, how);
    return first.holds ? first : this.once(rate, how);
  }
}
