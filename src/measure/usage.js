import {readFileSync} from 'node:fs';
import {PerformanceObserver, performance} from 'node:perf_hooks';

/**
 * What a process and its host have used between two readings.
 *
 * @typedef {object} Usage
 * @property {number} wallMs
 * @property {number} userMs CPU of this process
 * @property {number} systemMs CPU of this process
 * @property {number} maxRssBytes largest resident memory of the process so far
 * @property {number} eventLoopShare 0 to 1: how much of the time the event loop was busy
 * @property {number} collectionMs garbage collection
 * @property {{busyMs: number, stealMs: number, capacityMs: number} | null} host CPU time of the whole host; null where
 *   /proc/stat is not to be had
 */

/** Reads the clocks of this process and its host; `since` gives what was used after an earlier reading. */
export class UsageMeter {
  constructor() {
    this.collectionMs = 0;
    this.observer = new PerformanceObserver((list) => this.#collect(list.getEntries()));
    this.observer.observe({entryTypes: ['gc']});
  }

  /** @returns {Reading} */
  read() {
    this.#collect(this.observer.takeRecords());
    return {
      at: performance.now(),
      resources: process.resourceUsage(),
      eventLoop: performance.eventLoopUtilization(),
      collectionMs: this.collectionMs,
      host: readHostTimes(),
    };
  }

  /**
   * @param {Reading} before
   * @param {Reading} [after]
   * @returns {Usage}
   */
  since(before, after = this.read()) {
    const eventLoop = performance.eventLoopUtilization(after.eventLoop, before.eventLoop);
    return {
      wallMs: after.at - before.at,
      userMs: (after.resources.userCPUTime - before.resources.userCPUTime) / 1000,
      systemMs: (after.resources.systemCPUTime - before.resources.systemCPUTime) / 1000,
      maxRssBytes: after.resources.maxRSS * 1024,
      eventLoopShare: eventLoop.utilization,
      collectionMs: after.collectionMs - before.collectionMs,
      host: subtractHostTimes(after.host, before.host),
    };
  }

  /** @param {import('node:perf_hooks').PerformanceEntry[]} entries */
  #collect(entries) {
    for (const entry of entries) this.collectionMs += entry.duration;
  }
}

/**
 * @typedef {object} Reading
 * @property {number} at
 * @property {NodeJS.ResourceUsage} resources
 * @property {import('node:perf_hooks').EventLoopUtilization} eventLoop
 * @property {number} collectionMs
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
