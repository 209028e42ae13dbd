import {sum} from 'simple-statistics';
import {phasesOf, smallRequestBytes, turnMsOf} from '../measure/warm-up.js';
import {workloads} from '../workloads/index.js';
import {distanceMs} from '../workloads/schedule.js';
import {groupsOf} from './groups.js';
import {planCells} from './plan.js';
import {roundRules} from './rounds.js';
import {messageMs, roundTripMs, slicesOf} from './slices.js';

/**
 * @import {BattleSettings} from '../settings/index.js'
 * @import {Cell} from './cell.js'
 * @import {BattleState} from './state.js'
 */

/** Start and end of the processes of a pair, as measured on two cores. */
const pairMs = 600;
/** What the battle and its roles say to each other in a trial, and in a slice. */
const trialMs = 50;
const betweenSlicesMs = 4;
/** Pairs that are measured in turn start and warm up side by side. What that takes of the sum, as measured on two cores. */
const besideShare = 0.6;

/**
 * Estimates how long the planned rounds of a battle take, before any has run.
 * @param {Pick<BattleState, 'cells' | 'values'>} state
 * @returns {number} ms
 */
export function estimateBattleMs({cells, values}) {
  return roundRules(values).planned * sum(groupsOf(cells, values).map(estimateGroupMs));
}

/** The same for a battle that is only planned. @param {BattleSettings} settings @returns {number} ms */
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
  // At a rate each client sends its share of it; without one all clients share what the transport can do.
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
  const betweenMs = turnMsOf(length.warmUp) + slices.count * (slices.discardMs + betweenSlicesMs);
  return trialMs + warmUpMs + slicedMs + betweenMs;
}

/** @param {Cell} cell */
function beside({length}) {
  return length.inSlices ? besideShare : 1;
}

/** @param {{samples: number, durationMs: number}} phase it ends at whichever comes first @param {number} messageMs */
function phaseMs({samples, durationMs}, messageMs) {
  return Math.min(samples * messageMs, durationMs);
}

/** How long the groups of a battle take: as measured so far in this process, otherwise as estimated. */
export class Pace {
  /** @type {Map<number, {ms: number, estimatedMs: number}>} by the smallest number of a group's cells */
  #measured = new Map();
  #all = {ms: 0, estimatedMs: 0};

  /** @param {number | null} budgetMs from now on; null: without a limit @param {() => number} [now] in ms */
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

  /** Groups that were measured in turn: each has the share of the time that it was estimated at. @param {readonly (readonly Cell[])[]} groups @param {number} ms */
  addBlock(groups, ms) {
    const estimates = groups.map(estimateGroupMs);
    for (const [index, group] of groups.entries()) this.add(group, (ms * estimates[index]) / sum(estimates));
  }

  /** The time until the end of the budget. @returns {number} ms */
  remainingMs() {
    return this.endsAt - this.now();
  }

  /** @param {readonly (readonly Cell[])[]} groups @returns {number} ms that one round of them takes */
  expectedMs(groups) {
    return sum(groups.map((group) => this.#expectedOf(group)));
  }

  /**
   * Its estimate, which depends on how long its cells are measured, times as much as the measured time differed from that. One that was not measured yet is
   * expected to differ as much as the others did.
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
