import {phasesOf} from '../measure/warm-up.js';
import {workloads} from '../workloads/index.js';
import {distanceMs} from '../workloads/schedule.js';
import {groupsOf} from './groups.js';
import {roundBounds} from './rounds.js';

/**
 * @import {Cell} from './cell.js'
 * @import {BattleState} from './state.js'
 */

/** Start and end of both processes of a pair, as measured on two cores. */
const pairMs = 600;
/** What the battle and its roles say to each other in a trial. */
const trialMs = 50;
/** A guess for a message of few bytes, as measured on two cores. */
const messageMsByFigure = {latency: 0.25, rate: 0.03};
const doublingBytes = 100_000;

/**
 * Estimates how long the planned rounds of a battle take, before any has run.
 * @param {Pick<BattleState, 'cells' | 'values'>} state
 * @returns {number} ms
 */
export function estimateBattleMs({cells, values}) {
  return cells.length * roundBounds(values).min * estimateTrialMs({cells, values});
}

/**
 * Estimates how long a trial takes, before any has run.
 * @param {Pick<BattleState, 'cells' | 'values'>} state
 * @returns {number} mean over the cells, in ms
 */
export function estimateTrialMs({cells, values}) {
  const roundMs = groupsOf(cells, values)
    .flatMap((group) => group.map((cell, index) => estimateMs(cell, index === 0)))
    .reduce((total, ms) => total + ms, 0);
  return roundMs / cells.length;
}

/** @param {Cell} cell @param {boolean} isNewPair */
function estimateMs({length: {durationMs, samples, warmUp}, payloadBytes, variant, workload}, isNewPair) {
  const {figure, offeredRate} = workloads[workload];
  const messageMs = (/** @type {number} */ bytes) => messageMsByFigure[figure] * (1 + bytes / doublingBytes);
  const {clients = 1} = variant;
  const rate = offeredRate?.(variant) ?? null;
  // At a rate each client sends its share of it; without one all clients share what the transport can do.
  const pacedMs = rate === null ? messageMs(payloadBytes) * clients : distanceMs({rate, clients});
  const bySamples = samples === null ? Number.POSITIVE_INFINITY : samples * pacedMs;
  const measuredMs = Math.min(bySamples, durationMs ?? Number.POSITIVE_INFINITY);
  const warmUpMs = phasesOf(warmUp, {payloadBytes, isNewPair}).reduce(
    (total, phase) =>
      total + Math.min(phase.durationMs, phase.samples * messageMs(phase.isOfPair ? 0 : payloadBytes)),
    0,
  );
  return (isNewPair ? pairMs : 0) + trialMs + warmUpMs + measuredMs;
}
