import {sum} from 'simple-statistics';
import {phasesOf, smallRequestBytes, turnMsOf} from '../measure/warm-up.js';
import {workloads} from '../workloads/index.js';
import {distanceMs} from '../workloads/schedule.js';
import {groupsOf} from './groups.js';
import {messageMs, roundTripMs} from './message-time.js';
import {planCells} from './plan.js';
import {roundRules} from './rounds.js';
import {slicesOf} from './slices.js';

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

/**
 * The same for a battle that is only planned.
 * @param {BattleSettings} settings
 * @returns {number} ms
 */
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
