import {readFileSync} from 'node:fs';
import {performance} from 'node:perf_hooks';

/** @import {EventLoopUtilization} from 'node:perf_hooks' */

/**
 * What a process and its host have used between two readings.
 *
 * @typedef {object} Usage
 * @property {number} wallMs
 * @property {number} userMs CPU of this process
 * @property {number} systemMs CPU of this process
 * @property {number} maxRssBytes largest resident memory of the process so far
 * @property {number} eventLoopShare 0 to 1: how much of the time the event loop was busy
 * @property {{busyMs: number, stealMs: number, capacityMs: number} | null} host CPU time of the whole host; null where
 *   /proc/stat is not to be had
 */

/**
 * Reads what this process and its host have used so far. The time of garbage collections is not among it: Node.js tells it only
 * through an observer, whose entries made the memory of long runs grow.
 * @returns {Reading}
 */
export function readUsage() {
  return {
    at: performance.now(),
    resources: process.resourceUsage(),
    eventLoop: performance.eventLoopUtilization(),
    host: readHostTimes(),
  };
}

/**
 * What was used between two readings.
 * @param {Reading} before
 * @param {Reading} [after] now unless given
 * @returns {Usage}
 */
export function usageSince(before, after = readUsage()) {
  const eventLoop = performance.eventLoopUtilization(after.eventLoop, before.eventLoop);
  return {
    wallMs: after.at - before.at,
    userMs: (after.resources.userCPUTime - before.resources.userCPUTime) / 1000,
    systemMs: (after.resources.systemCPUTime - before.resources.systemCPUTime) / 1000,
    maxRssBytes: after.resources.maxRSS * 1024,
    eventLoopShare: eventLoop.utilization,
    host: subtractHostTimes(after.host, before.host),
  };
}

/**
 * @typedef {object} Reading
 * @property {number} at
 * @property {NodeJS.ResourceUsage} resources
 * @property {EventLoopUtilization} eventLoop
 * @property {HostTimes | null} host
 *
 * @typedef {{busyMs: number, stealMs: number, capacityMs: number}} HostTimes
 */

/** A tick of /proc/stat: USER_HZ is 100 on every Linux that Node.js runs on (proc(5)). */
const tickMs = 10;

/** @returns {HostTimes | null} */
function readHostTimes() {
  let line;
  try {
    line = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0];
  } catch {
    return null;
  }
  const [user, nice, system, idle, wait, interrupt, softInterrupt, steal] = line
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) * tickMs);
  const busyMs = user + nice + system + interrupt + softInterrupt;
  return {busyMs, stealMs: steal, capacityMs: busyMs + idle + wait + steal};
}

/** @param {HostTimes | null} after @param {HostTimes | null} before */
function subtractHostTimes(after, before) {
  if (!after || !before) return null;
  return {
    busyMs: after.busyMs - before.busyMs,
    stealMs: after.stealMs - before.stealMs,
    capacityMs: after.capacityMs - before.capacityMs,
  };
}
