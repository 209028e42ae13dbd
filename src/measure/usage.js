import {readFileSync} from 'node:fs';
import {performance} from 'node:perf_hooks';

/** @import {EventLoopUtilization} from 'node:perf_hooks' */

/**
 * The resources that a process and its host have used between two readings.
 *
 * @typedef {object} Usage
 * @property {number} wallMs
 * @property {number} userMs CPU of this process
 * @property {number} systemMs CPU of this process
 * @property {number} maxRssBytes the maximum resident memory of the process so far
 * @property {number} eventLoopShare the share of the time in which the event loop was busy, 0 to 1
 * @property {{busyMs: number, stealMs: number, capacityMs: number} | null} host CPU time of the whole host; null without
 *   /proc/stat
 */

/**
 * Reads the resources that this process and its host have used so far. The time of garbage collections is not included: Node.js
 * reports it only to an observer, whose entries made the memory of long runs grow.
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
 * The resources that were used between two readings.
 * @param {Reading} before
 * @param {Reading} [after] by default, now
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
