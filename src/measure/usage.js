import {performance} from 'node:perf_hooks';
import {sumOfKnown} from '../stats/numbers.js';
import {allowedCores, findThrottling, readMainThread} from './cores.js';
import {networkBetween, readNetwork} from './network.js';
import {countAgain, countPauses, holdCounting, stopCounting} from './pauses.js';
import {readAllProcessesMs, readProcessTimes, readSystemFile, resetPeak, tickMs} from './system.js';

/**
 * @import {Consumption, CoreTimes, CoreUse, Interference, MainThread, NetworkUse, Own, Reading} from './types.js'
 * @import {EventLoopUtilization} from 'node:perf_hooks'
 */

/** Readings for which `usageSince` was not called yet. @type {Set<Reading>} */
const open = new Set();

/** @type {(() => number | null) | null} */
let throttling = null;

/** The pid of the process that keeps cores awake. Its CPU time counts as idle time. @type {number | null} */
let awakeLoop = null;

/** Whether the peak of memory was reset at the last reading. */
let isPeakReset = false;

/**
 * Excludes the CPU time of a process from the usage of the host, from the next reading on.
 * @param {number | null} pid of the process that keeps cores awake
 */
export function leaveOutAwakeLoop(pid) {
  awakeLoop = pid;
}

/** The folders of the threads that run what is measured. @type {() => readonly string[]} */
let threads = () => ['/proc/self'];

/**
 * Replaces the main thread of this process by other threads, whose counters are added, from the next reading on.
 * @param {() => readonly string[]} folders of the threads, in /proc
 */
export function readInstead(folders) {
  threads = folders;
}

/**
 * Reads the resources that this process and its host have used so far.
 * @returns {Reading} for a single call of `usageSince`
 */
export function readUsage() {
  const reading = {...takeReading(), pauses: countPauses()};
  open.add(reading);
  return reading;
}

/**
 * @param {EventLoopUtilization} before
 * @param {EventLoopUtilization} after
 * @returns {number | null} null if the runtime does not measure the share, like Bun and Deno
 */
function busyShareOf(before, after) {
  const {active, idle, utilization} = performance.eventLoopUtilization(after, before);
  return active + idle > 0 ? utilization : null;
}

/**
 * Returns the resources that were used between two readings.
 * @param {Reading} before
 * @param {Reading} [after] by default a new reading
 * @returns {Consumption & {network: NetworkUse | null} & Interference}
 */
export function usageSince(before, after = takeReading()) {
  open.delete(before);
  stopCounting(before.pauses);
  const {pausedAt} = before;
  if (pausedAt) {
    const leftOutMs = (before.leftOutMs ?? 0) + cpuMsOf(after) - cpuMsOf(pausedAt);
    return usageSince({...before, pausedAt: null, leftOutMs}, {...after, ...pausedAt});
  }
  const [mainBefore, mainAfter] =
    after.threads === before.threads ? [before.main, after.main] : [unknown, unknown];
  const mainThreadMs = subtract(mainAfter.cpuMs, mainBefore.cpuMs);
  const wallMs = after.at - before.at;
  const userMs = (after.resources.userCPUTime - before.resources.userCPUTime) / 1000;
  const systemMs = (after.resources.systemCPUTime - before.resources.systemCPUTime) / 1000;
  return {
    ...{wallMs, userMs, systemMs},
    ...(before.leftOutMs !== undefined && {leftOutMs: before.leftOutMs}),
    maxRssBytes: before.maxRssBytes,
    eventLoopShare:
      busyShareOf(before.eventLoop, after.eventLoop) ?? Math.min(1, (userMs + systemMs) / wallMs),
    mainThreadMs,
    runDelayMs: subtract(mainAfter.runDelayMs, mainBefore.runDelayMs),
    wakeUps: subtract(mainAfter.wakeUps, mainBefore.wakeUps),
    stealMs: stealFrom(mainThreadMs, useBetween(before.ownCores, after.ownCores)),
    throttledMs: subtract(after.throttledMs, before.throttledMs),
    involuntarySwitches:
      after.resources.involuntaryContextSwitches - before.resources.involuntaryContextSwitches,
    migrations: subtract(mainAfter.migrations, mainBefore.migrations),
    gcMs: before.pauses?.gcMs ?? null,
    loopDelayMaxMs: before.pauses?.loopDelayMaxMs ?? null,
    host: hostUseBetween(before, after),
    network: networkBetween(before.network, after.network),
  };
}

/**
 * Stops counting the resources of this process until `resumeUsage`. The usage of the host and the throttling of control groups still count.
 * @param {Reading} reading
 */
export function pauseUsage(reading) {
  reading.pausedAt ??= readOwn();
  holdCounting(reading.pauses);
}

/** @param {Reading} reading a paused reading, whose counters are moved by the usage in the pause */
export function resumeUsage(reading) {
  const {pausedAt} = reading;
  if (!pausedAt) return;
  reading.pausedAt = null;
  countAgain(reading.pauses);
  const now = readOwn();
  reading.at += now.at - pausedAt.at;
  reading.leftOutMs = (reading.leftOutMs ?? 0) + cpuMsOf(now) - cpuMsOf(pausedAt);
  reading.resources = movedBy(reading.resources, now.resources, pausedAt.resources);
  reading.eventLoop = movedBy(reading.eventLoop, now.eventLoop, pausedAt.eventLoop);
  reading.main = movedBy(reading.main, now.main, pausedAt.main);
  if (now.threads !== pausedAt.threads) reading.threads = changed;
}

/**
 * Counts the CPU time of a share of the messages only. The rest is added to `leftOutMs`.
 * @template {{userMs: number, systemMs: number, leftOutMs?: number}} Used
 * @param {Used} usage
 * @param {number} share of the messages that count
 * @returns {Used}
 */
export function shareOfUsage(usage, share) {
  const {userMs, systemMs, leftOutMs = 0} = usage;
  const others = (userMs + systemMs) * (1 - share);
  return {...usage, userMs: userMs * share, systemMs: systemMs * share, leftOutMs: leftOutMs + others};
}

/** @param {Own} own */
function cpuMsOf({resources: {userCPUTime, systemCPUTime}}) {
  return (userCPUTime + systemCPUTime) / 1000;
}

/**
 * @template {object} Counters with numbers, or null for unknown values
 * @param {Counters} counters @param {Counters} after @param {Counters} before @returns {Counters}
 */
function movedBy(counters, after, before) {
  const keys = /** @type {(keyof Counters)[]} */ (Object.keys(counters));
  const numberOf = (/** @type {Counters} */ some, /** @type {keyof Counters} */ key) =>
    /** @type {number | null} */ (some[key]);
  const moved = keys.map((key) => {
    const difference = subtract(numberOf(after, key), numberOf(before, key));
    return [key, difference === null ? null : (numberOf(counters, key) ?? 0) + difference];
  });
  return Object.fromEntries(moved);
}

/** The counters if the threads of two readings differ. @type {MainThread} */
const unknown = {cpuMs: null, runDelayMs: null, wakeUps: null, migrations: null};
/** A value of `threads` that differs from every later reading. */
const changed = 'changed';

/** @returns {Own} */
function readOwn() {
  const folders = threads();
  return {
    at: performance.now(),
    resources: process.resourceUsage(),
    eventLoop: performance.eventLoopUtilization(),
    main: readThreads(folders),
    threads: folders.join(' '),
  };
}

/** @param {readonly string[]} folders @returns {MainThread} */
function readThreads(folders) {
  const all = folders.map((folder) => readMainThread(readSystemFile, folder));
  return {
    cpuMs: sumOfKnown(all, 'cpuMs'),
    runDelayMs: sumOfKnown(all, 'runDelayMs'),
    wakeUps: sumOfKnown(all, 'wakeUps'),
    migrations: sumOfKnown(all, 'migrations'),
  };
}

/** @returns {Reading} */
function takeReading() {
  throttling ??= findThrottling();
  const own = readOwn();
  const peakBytes = isPeakReset ? own.resources.maxRSS * 1024 : null;
  isPeakReset = resetPeak('self');
  for (const reading of open) {
    const {maxRssBytes} = reading;
    reading.maxRssBytes =
      peakBytes === null || maxRssBytes === null ? null : Math.max(maxRssBytes, peakBytes);
  }
  return {
    ...own,
    throttledMs: throttling(),
    maxRssBytes: 0,
    pauses: null,
    network: readNetwork(),
    ...readCoreTimes(),
  };
}

/** @returns {Pick<Reading, 'host' | 'ownCores' | 'processesMs' | 'switches'>} */
function readCoreTimes() {
  const own = new Set(allowedCores().map((core) => `cpu${core}`));
  const processesMs = readAllProcessesMs(awakeLoop);
  const kept = readProcessTimes(awakeLoop);
  const at = performance.now();
  const lines = (readSystemFile('/proc/stat') ?? '').split('\n').map((line) => line.split(/\s+/));
  const switches = lines.find(([name]) => name === 'ctxt')?.[1];
  const cores = lines.filter(([name]) => /^cpu\d+$/.test(name));
  const host = timesOf(at, cores);
  if (host && kept) host.idleMs += kept.userMs + kept.systemMs;
  return {
    host,
    ownCores: timesOf(
      at,
      cores.filter(([name]) => own.has(name)),
    ),
    processesMs,
    switches: switches === undefined ? null : Number(switches),
  };
}

/** @param {number} at @param {readonly string[][]} cores the fields of each core's line in proc_stat(5) */
function timesOf(at, cores) {
  const sumOf = (/** @type {readonly number[]} */ fields) =>
    cores.flatMap((core) => fields.map((field) => Number(core[field]))).reduce((sum, one) => sum + one, 0);
  const [idle, wait, steal] = [4, 5, 8];
  if (cores.length === 0) return null;
  return {at, cores: cores.length, idleMs: sumOf([idle, wait]) * tickMs, stealMs: sumOf([steal]) * tickMs};
}

/**
 * Computes the busy time as the time that is not idle. The kernel measures idle time by the clock, but busy time by samples, which can miss work that
 * runs in step with the samples.
 * @param {CoreTimes | null} before @param {CoreTimes | null} after
 */
function useBetween(before, after) {
  if (!before || !after) return null;
  const capacityMs = (after.at - before.at) * after.cores;
  const stealMs = after.stealMs - before.stealMs;
  return {
    busyMs: Math.max(0, capacityMs - stealMs - (after.idleMs - before.idleMs)),
    stealMs,
    capacityMs,
  };
}

/** @param {Reading} before @param {Reading} after */
function hostUseBetween(before, after) {
  const use = useBetween(before.host, after.host);
  return (
    use && {
      ...use,
      processesMs: subtract(after.processesMs, before.processesMs),
      switches: subtract(after.switches, before.switches),
    }
  );
}

/** @param {number | null} after @param {number | null} before */
function subtract(after, before) {
  return after === null || before === null ? null : after - before;
}

/** @param {number | null} mainThreadMs @param {CoreUse | null} use of the cores that the main thread may use */
function stealFrom(mainThreadMs, use) {
  if (mainThreadMs === null || use === null) return null;
  return use.busyMs > 0 ? (mainThreadMs * use.stealMs) / use.busyMs : 0;
}
