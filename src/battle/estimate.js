import {sum} from 'simple-statistics';
import {UsageError} from '../errors.js';
import {phasesOf, smallRequestBytes, turnMsOf} from '../measure/warm-up.js';
import {isAskedFor, withValues} from '../options/resolve.js';
import {defaultBudgetMs} from '../settings/battle-options.js';
import {workloads} from '../workloads/index.js';
import {distanceMs} from '../workloads/schedule.js';
import {groupsOf} from './groups.js';
import {planCells} from './plan.js';
import {roundRules} from './rounds.js';
import {messageMs, roundTripMs, slicesOf} from './slices.js';

/**
 * @import {BattleSettings} from '../settings/index.js'
 * @import {BattleState, Cell, Needs} from './types.js'
 */

/** How long the processes of a pair take to start and to end, as measured on two cores. */
const pairMs = 600;
/** How long the messages between the battle and its roles take in a trial, and in a slice. */
const trialMs = 50;
const betweenSlicesMs = 4;
/** Pairs that are measured in turn start and warm up at the same time. Together they take this share of the sum of their times, as measured on two cores. */
const besideShare = 0.6;

/**
 * Estimates how long the planned rounds of a battle take, before the first round.
 * @param {Pick<BattleState, 'cells' | 'values'>} state
 * @returns {number} ms
 */
export function estimateBattleMs({cells, values}) {
  return roundRules(values).planned * sum(groupsOf(cells, values).map(estimateGroupMs));
}

/** Estimates how long a battle with these settings would take. @param {BattleSettings} settings @returns {number} ms */
export function estimateSettingsMs(settings) {
  return estimateBattleMs({cells: planCells(settings), values: settings.values});
}

/**
 * Estimates how long one pair of processes takes to measure its cells, one after the other.
 * @param {readonly Cell[]} group
 * @returns {number} ms
 */
export function estimateGroupMs(group) {
  return pairMs * beside(group[0]) + sum(group.map((cell, index) => estimateTrialMs(cell, index === 0)));
}

/** @param {Cell} cell @param {boolean} isNewPair */
function estimateTrialMs(cell, isNewPair) {
  const {length, payloadBytes, variant, workload} = cell;
  const {clients = 1} = variant;
  const rate = workloads[workload].offeredRate?.(variant) ?? null;
  // Each client sends its share of an offered rate. Without an offered rate, all clients share the throughput of the transport.
  const sharedMs = (/** @type {number} */ bytes, isFirst = false) =>
    clients * messageMs(cell, bytes, isFirst);
  const measured = {
    samples: length.samples ?? Number.POSITIVE_INFINITY,
    durationMs: length.durationMs ?? Number.POSITIVE_INFINITY,
  };
  const phases = phasesOf(length.warmUp, {payloadBytes, isNewPair}).map((phase) =>
    phaseMs(phase, phase.isOfPair ? sharedMs(smallRequestBytes, true) : sharedMs(payloadBytes)),
  );
  const measuredMs =
    workloads[workload].estimateMs?.({...length, payloadBytes}, (bytes) => roundTripMs(cell, bytes)) ??
    phaseMs(measured, rate === null ? sharedMs(payloadBytes) : distanceMs({rate, clients}));
  const slices = slicesOf(cell);
  if (slices === null) return trialMs + sum(phases) + measuredMs;
  const slicedMs = Math.max(measuredMs, slices.count * slices.at(0).ms);
  const warmUpMs = sum(phases) * beside(cell);
  const betweenMs =
    turnMsOf(length.warmUp, payloadBytes) + slices.count * (slices.discardMs + betweenSlicesMs);
  return trialMs + warmUpMs + slicedMs + betweenMs;
}

/** @param {Cell} cell */
function beside({length}) {
  return length.inSlices ? besideShare : 1;
}

/** @param {{samples: number, durationMs: number}} phase ends at the earlier of both bounds @param {number} messageMs */
function phaseMs({samples, durationMs}, messageMs) {
  return Math.min(samples * messageMs, durationMs);
}

/** Predicts how long the groups of a battle take, from the times measured in this process so far, otherwise from estimates. */
export class Pace {
  /** @type {Map<number, {ms: number, estimatedMs: number}>} keyed by the smallest number of a group's cells */
  #measured = new Map();
  #all = {ms: 0, estimatedMs: 0};

  /** @param {number | null} budgetMs from now on; null for no limit @param {() => number} [now] in ms */
  constructor(budgetMs, now = () => performance.now()) {
    this.now = now;
    this.endsAt = now() + (budgetMs ?? Number.POSITIVE_INFINITY);
  }

  /** @param {readonly Cell[]} group that took part in a round @param {number} ms */
  add(group, ms) {
    const own = this.#measured.get(keyOf(group)) ?? {ms: 0, estimatedMs: 0};
    this.#measured.set(keyOf(group), own);
    for (const one of [own, this.#all]) {
      one.ms += ms;
      one.estimatedMs += estimateGroupMs(group);
    }
  }

  /** Divides the time of groups that were measured in turn in proportion to their estimates. @param {readonly (readonly Cell[])[]} groups @param {number} ms */
  addBlock(groups, ms) {
    const estimates = groups.map(estimateGroupMs);
    for (const [index, group] of groups.entries()) this.add(group, (ms * estimates[index]) / sum(estimates));
  }

  /** @returns {number} ms until the end of the budget */
  remainingMs() {
    return this.endsAt - this.now();
  }

  /** @param {readonly (readonly Cell[])[]} groups @returns {number} ms for one round of the groups */
  expectedMs(groups) {
    return sum(groups.map((group) => this.#expectedOf(group)));
  }

  /**
   * Scales the estimate of a group by the ratio of its measured to its estimated time so far. A group that was not measured yet has the ratio of all
   * measured groups.
   * @param {readonly Cell[]} group
   */
  #expectedOf(group) {
    const {ms, estimatedMs} = this.#measured.get(keyOf(group)) ?? this.#all;
    return (estimatedMs > 0 ? ms / estimatedMs : 1) * estimateGroupMs(group);
  }
}

/** @param {readonly Cell[]} group in any order */
function keyOf(group) {
  return Math.min(...group.map(({number}) => number));
}

/** All scales with two significant digits, in ascending order, up to 1, which is the full length of the preset. */
const scales = [
  ...[-7, -6, -5, -4, -3, -2].flatMap((power) =>
    Array.from({length: 90}, (_, index) => Number(`${index + 10}e${power}`)),
  ),
  1,
];

/**
 * Replaces `--scale auto` by the largest scale at which the estimated time of the planned rounds is within the budget.
 * @param {BattleSettings} settings
 * @param {number} [budgetMs] by default the budget of the settings. A number of rounds, which most presets have, removes the default budget
 * @returns {BattleSettings} with a number as the scale; unchanged if `--scale auto` does not apply
 * @throws {UsageError} when no scale is small enough
 */
export function withScale(settings, budgetMs = settings.values.budgetMs ?? defaultBudgetMs) {
  const {scale, preset} = settings.values;
  const {samples, durationMs} = settings.origins;
  // A scale does not apply to a length that the user gave.
  if (scale !== 'auto' || preset === null || isAskedFor(samples) || isAskedFor(durationMs)) return settings;
  const {leastMs} = presetNeeds(settings);
  if (leastMs > budgetMs) {
    const [least, budget] = [leastMs, budgetMs].map((ms) => Math.ceil(ms / 1000));
    throw new UsageError(
      `--scale auto: at the smallest scale ${preset} takes about ${least} s; the budget is ${budget} s. Give a longer --budget, or fewer sizes with --payload.`,
    );
  }
  let [low, high] = [0, scales.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateAt(settings, scales[middle]) <= budgetMs) low = middle;
    else high = middle - 1;
  }
  return withValues(settings, {scale: scales[low]});
}

/**
 * Estimates how much time a preset needs and how much it can use. With a given scale, a preset can use any time, for more rounds.
 * @param {BattleSettings} settings @returns {Needs}
 */
export function presetNeeds(settings) {
  const {scale} = settings.values;
  return scale === 'auto'
    ? {leastMs: estimateAt(settings, scales[0]), fullMs: estimateAt(settings, 1)}
    : {leastMs: estimateAt(settings, scale), fullMs: Number.POSITIVE_INFINITY};
}

/**
 * Divides a time. Each share is the minimum need plus an equal part of the rest, up to the time that can be used.
 * @param {readonly Needs[]} needs @param {number} totalMs
 * @returns {number[]} ms; the sum exceeds the total if the minimum needs do
 */
export function shareTime(needs, totalMs) {
  const shares = needs.map(({leastMs}) => leastMs);
  let restMs = totalMs - sum(shares);
  const gainOf = (/** @type {number} */ index) => needs[index].fullMs - needs[index].leastMs;
  // The smallest gains come first, so that the time which they leave unused goes to the larger ones.
  const order = [...needs.keys()].sort((one, other) => gainOf(one) - gainOf(other));
  for (const [position, index] of order.entries()) {
    const gainMs = Math.max(0, Math.min(gainOf(index), restMs / (order.length - position)));
    shares[index] += gainMs;
    restMs -= gainMs;
  }
  return shares;
}

/** @param {BattleSettings} settings @param {number} scale */
function estimateAt(settings, scale) {
  return estimateSettingsMs(withValues(settings, {scale}));
}

/** @param {Pick<Cell, 'length' | 'payloadBytes'>} cell @returns {string} the length and the warm-up of a trial, such as: 1 s after 200 ms */
export function describeLength({length: {samples, durationMs, isOpen, warmUp}, payloadBytes}) {
  const [phase] = phasesOf(warmUp, {payloadBytes, isNewPair: false});
  const measured = describePart({
    samples: samples ?? Number.POSITIVE_INFINITY,
    durationMs: durationMs ?? Number.POSITIVE_INFINITY,
  });
  const whole = isOpen ? `${measured}, then as decided,` : measured;
  return phase ? `${whole} after ${describePart(phase)}` : whole;
}

/**
 * Describes the extra warm-up of a new pair of processes, which its first cell begins with.
 * @param {readonly Pick<Cell, 'length' | 'payloadBytes'>[]} cells
 * @returns {string | null} null if no cell has an extra warm-up
 */
export function describePairWarmUp(cells) {
  const parts = cells.flatMap(({length: {warmUp}, payloadBytes}) =>
    phasesOf(warmUp, {payloadBytes, isNewPair: true}).filter(({isOfPair}) => isOfPair),
  );
  return parts.length > 0 ? describePart(parts[0]) : null;
}

/** @param {{samples: number, durationMs: number}} part ends at the earlier of both bounds */
function describePart({samples, durationMs}) {
  const count = Number.isFinite(samples) ? `${samples} messages` : null;
  const time = durationMs >= 1000 ? `${durationMs / 1000} s` : `${durationMs} ms`;
  if (!Number.isFinite(durationMs)) return count ?? 'as long as the workload determines';
  return count ? `${count}, at most ${time}` : time;
}
