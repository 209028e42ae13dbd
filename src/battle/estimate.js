import {workloads} from '../workloads/index.js';
import {distanceMs} from '../workloads/schedule.js';

/**
 * @import {WarmUp} from '../measure/warm-up.js'
 * @import {Cell} from './cell.js'
 */

/** Starting and ending both processes of a trial took about this long on two cores. */
const overheadMs = 600;
const usualWarmUpMs = 700;
/** How long a message takes when only a number of them is given can but be guessed: what was usual on two cores, and with the size. */
const guessedMs = {latency: 0.25, rate: 0.03};
const bytesThatDouble = 100_000;

/**
 * About how long one trial of each cell will take, before any has run.
 * @param {readonly Cell[]} cells
 * @returns {number} mean over the cells, in ms
 */
export function estimateTrialMs(cells) {
  return cells.reduce((total, cell) => total + estimateMs(cell), 0) / cells.length;
}

/** @param {Cell} cell */
function estimateMs({length: {durationMs, samples, warmUp}, payloadBytes, variant, workload}) {
  const messageMs = guessedMs[workloads[workload].figure] * (1 + payloadBytes / bytesThatDouble);
  const {clients = 1, rate = null} = variant;
  // At a rate each client waits its turn; without one all share what the transport can do.
  const pacedMs = rate === null ? messageMs * clients : distanceMs({rate, clients});
  const bySamples = samples === null ? Number.POSITIVE_INFINITY : samples * pacedMs;
  const measuredMs = Math.min(bySamples, durationMs ?? Number.POSITIVE_INFINITY);
  return overheadMs + warmUpMs(warmUp, messageMs) + measuredMs;
}

/** @param {WarmUp} warmUp @param {number} messageMs */
function warmUpMs(warmUp, messageMs) {
  if (warmUp.kind === 'duration') return warmUp.durationMs;
  return warmUp.kind === 'count' ? warmUp.count * messageMs : Math.min(usualWarmUpMs, warmUp.maximumMs);
}
