import {workloads} from '../workloads/index.js';
import {distanceMs} from '../workloads/schedule.js';
import {roundBounds} from './rounds.js';

/**
 * @import {WarmUp} from '../measure/warm-up.js'
 * @import {Cell} from './cell.js'
 * @import {BattleState} from './state.js'
 */

/** Start and end of both processes of a trial, as measured on two cores. */
const overheadMs = 600;
const typicalWarmUpMs = 700;
/** A guess for a message of few bytes, as measured on two cores. */
const messageMsByFigure = {latency: 0.25, rate: 0.03};
const doublingBytes = 100_000;

/**
 * Estimates how long the planned rounds of a battle take, before any has run.
 * @param {Pick<BattleState, 'cells' | 'values'>} state
 * @returns {number} ms
 */
export function estimateBattleMs({cells, values}) {
  return cells.length * roundBounds(values).min * estimateTrialMs(cells);
}

/**
 * Estimates how long a trial takes, before any has run.
 * @param {readonly Cell[]} cells
 * @returns {number} mean over the cells, in ms
 */
export function estimateTrialMs(cells) {
  return cells.reduce((total, cell) => total + estimateMs(cell), 0) / cells.length;
}

/** @param {Cell} cell */
function estimateMs({length: {durationMs, samples, warmUp}, payloadBytes, variant, workload}) {
  const messageMs = messageMsByFigure[workloads[workload].figure] * (1 + payloadBytes / doublingBytes);
  const {clients = 1} = variant;
  const rate = workloads[workload].offeredRate?.(variant) ?? null;
  // At a rate each client sends its share of it; without one all clients share what the transport can do.
  const pacedMs = rate === null ? messageMs * clients : distanceMs({rate, clients});
  const bySamples = samples === null ? Number.POSITIVE_INFINITY : samples * pacedMs;
  const measuredMs = Math.min(bySamples, durationMs ?? Number.POSITIVE_INFINITY);
  return overheadMs + warmUpMs(warmUp, messageMs) + measuredMs;
}

/** @param {WarmUp} warmUp @param {number} messageMs */
function warmUpMs(warmUp, messageMs) {
  if (warmUp.kind === 'duration') return warmUp.durationMs;
  return warmUp.kind === 'count' ? warmUp.count * messageMs : Math.min(typicalWarmUpMs, warmUp.maximumMs);
}
