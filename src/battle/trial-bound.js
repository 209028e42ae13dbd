import {workloads} from '../workloads/index.js';
import {distanceMs} from '../workloads/schedule.js';
import {readyWithinMs} from './configure-roles.js';

/**
 * @import {Variant} from '../transports/transport.js'
 * @import {Cell} from './cell.js'
 */

/** A search has as many steps, and a queue without a number as many messages, as it takes; what moves nothing is noticed elsewhere. */
const openEndedMs = 3_600_000;
/** Starting one process more. */
const startMs = 400;
const longestWarmUpMs = 5000;
/** Ample for any request that is answered at all. */
const requestMs = 1000;
/** Sums of n exponentially distributed distances lie within n ± 6 √n mean distances but once in a million times. */
const deviations = 6;
/** What a client and its receiver may wait for in all, one thing after the other: buffers that are flushed are given twelve. */
const timeouts = 20;
/** The longest that a timer of Node.js takes. */
const longestMs = 2 ** 31 - 1;

/**
 * Ample for any trial that goes well: start, warm-up, the measured part, waiting for stragglers.
 * @param {Pick<Cell, 'length' | 'variant' | 'workload'>} cell
 * @param {Record<string, any>} values timeoutMs
 * @returns {number} whole ms
 */
export function trialBoundMs({length: {durationMs, samples, warmUp}, variant, workload}, {timeoutMs}) {
  const {clients = 1, servers = 1} = variant;
  const warmUpMs =
    warmUp.kind === 'duration'
      ? warmUp.durationMs
      : longestWarmUpMs + (warmUp.kind === 'count' ? warmUp.count * requestMs : 0);
  const ofLengthMs = samples === null ? (durationMs ?? 0) : samplesMs(samples, variant);
  const measuredMs = workloads[workload].isOpenEnded ? openEndedMs : ofLengthMs;
  const rolesMs = (clients + servers) * startMs;
  return Math.min(
    longestMs,
    Math.ceil(readyWithinMs * 2 + rolesMs + warmUpMs + measuredMs + timeoutMs * timeouts),
  );
}

/**
 * @param {number} samples of each client
 * @param {Variant} variant rate, arrivals, clients
 */
function samplesMs(samples, {rate = null, arrivals, clients = 1}) {
  if (rate === null) return samples * requestMs;
  const distances = arrivals === 'poisson' ? samples + deviations * Math.sqrt(samples) : samples;
  return Math.max(samples * requestMs, distances * distanceMs({rate, clients}));
}
