import {workloads} from '../workloads/index.js';
import {maxScheduleMs} from '../workloads/schedule.js';
import {readyWithinMs} from './configure-roles.js';

/** @import {Cell} from './cell.js' */

/** A search has no fixed number of steps, and a queue without --samples no fixed number of messages. A watchdog notices a lack of progress. */
const openEndedMs = 3_600_000;
/** Start of one more process. */
const startMs = 400;
const longestWarmUpMs = 5000;
/** A generous bound for a request that is answered. */
const requestMs = 1000;
/** How many timeouts a client and its receiver may wait for, one after the other. Flushing the buffers may take twelve of them. */
const timeouts = 20;
/** The longest delay of a Node.js timer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * A generous bound for a trial: start, warm-up, measured part, waiting for late replies.
 * @param {Pick<Cell, 'length' | 'variant' | 'workload'>} cell
 * @param {{timeoutMs: number}} values
 * @returns {number} whole ms
 */
export function trialBoundMs({length: {durationMs, samples, warmUp}, variant, workload}, {timeoutMs}) {
  const {clients = 1, servers = 1} = variant;
  const warmUpMs =
    warmUp.kind === 'duration'
      ? warmUp.durationMs
      : longestWarmUpMs + (warmUp.kind === 'count' ? warmUp.count * requestMs : 0);
  const ofLengthMs = samples === null ? (durationMs ?? 0) : samplesMs(samples, {variant, workload});
  const measuredMs = workloads[workload].isOpenEnded ? openEndedMs : ofLengthMs;
  const rolesMs = (clients + servers) * startMs;
  return Math.min(
    maxTimerMs,
    Math.ceil(readyWithinMs * 2 + rolesMs + warmUpMs + measuredMs + timeoutMs * timeouts),
  );
}

/**
 * @param {number} samples of each client
 * @param {Pick<Cell, 'variant' | 'workload'>} cell
 */
function samplesMs(samples, {variant, workload}) {
  const rate = workloads[workload].offeredRate?.(variant) ?? null;
  const requestsMs = samples * requestMs;
  return rate === null ? requestsMs : Math.max(requestsMs, maxScheduleMs(samples, {...variant, rate}));
}
