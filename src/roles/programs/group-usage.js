import {readdirSync} from 'node:fs';
import {cpuTicksOf, readPeak, readSystemFile, resetPeak, tickMs} from '../../measure/system.js';
import {readUsage, usageSince} from '../../measure/usage.js';

/** @import {Reading, Usage} from '../../measure/types.js' */

/**
 * The resources that the processes of a group have used so far.
 *
 * @typedef {object} GroupUse
 * @property {Map<string, ThreadUse>} threads by number
 * @property {number} userTicks
 * @property {number} systemTicks
 * @property {number} peakBytes the sum of the peaks of the processes' resident memory
 *
 * @typedef {{cpuNs: number, runDelayNs: number, slices: number, involuntary: number}} ThreadUse slices: how often the thread was put on a core
 *
 * @typedef {{host: Reading, group: GroupUse}} GroupReading
 */

/**
 * Reads from /proc (proc(5)) the resources that a program and its child processes have used so far, and the usage of the host.
 * @param {number} group id of the process group
 * @returns {GroupReading} for a single call of `groupUsageSince`
 */
export function readGroupUsage(group) {
  const use = readGroup(group);
  for (const id of processesOf(group)) resetPeak(id);
  return {host: readUsage(), group: use};
}

/**
 * Returns the resources that a process group used between a reading and now. Threads run at the same time, so their waits for a core are added
 * up, and `mainThreadMs` is the CPU time of all threads.
 * @param {GroupReading} before @param {number} group @returns {Usage}
 */
export function groupUsageSince(before, group) {
  const after = readGroup(group);
  const ofHost = usageSince(before.host);
  const sum = (/** @type {keyof ThreadUse} */ key) =>
    [...after.threads].reduce(
      (total, [id, use]) => total + use[key] - (before.group.threads.get(id)?.[key] ?? 0),
      0,
    );
  const ticks = {
    user: after.userTicks - before.group.userTicks,
    system: after.systemTicks - before.group.systemTicks,
  };
  const all = ticks.user + ticks.system;
  // The times of threads are exact, but they lack threads that have ended. Ticks include all threads, but are rounded down.
  const [exactMs, roundedMs] = [sum('cpuNs') / 1e6, all * tickMs];
  const cpuMs = roundedMs - exactMs > tickMs ? roundedMs : exactMs;
  const userMs = all > 0 ? (cpuMs * ticks.user) / all : cpuMs;
  return {
    ...ofHost,
    userMs,
    systemMs: cpuMs - userMs,
    maxRssBytes: after.peakBytes,
    eventLoopShare: Math.min(1, cpuMs / ofHost.wallMs),
    mainThreadMs: cpuMs,
    runDelayMs: sum('runDelayNs') / 1e6,
    wakeUps: sum('slices'),
    involuntarySwitches: sum('involuntary'),
    ...{migrations: null, stealMs: null, gcMs: null, loopDelayMaxMs: null},
  };
}

/** @param {number} group */
function readGroup(group) {
  /** @type {GroupUse} */
  const use = {threads: new Map(), userTicks: 0, systemTicks: 0, peakBytes: 0};
  for (const id of processesOf(group)) {
    const ticks = ticksOf(id);
    if (ticks === null) continue;
    use.userTicks += ticks.user;
    use.systemTicks += ticks.system;
    use.peakBytes += readPeak(id) ?? 0;
    for (const thread of threadsOf(id)) use.threads.set(thread, readThread(`/proc/${id}/task/${thread}`));
  }
  return use;
}

/** @param {string} folder @returns {ThreadUse} */
function readThread(folder) {
  const [cpuNs = 0, runDelayNs = 0, slices = 0] =
    readSystemFile(`${folder}/schedstat`)?.split(' ').map(Number) ?? [];
  const status = readSystemFile(`${folder}/status`) ?? '';
  const involuntary = Number(/^nonvoluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
  return {cpuNs, runDelayNs, slices, involuntary};
}

/**
 * Returns the ids of the processes of a group and of their descendants in other groups. A daemon with a new parent is not included.
 * @param {number} group
 */
export function processesOf(group) {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const all = ids.map((name) => ({id: Number(name), ...ticksOf(Number(name))}));
  const found = new Set(all.filter((one) => one.group === group).map(({id}) => id));
  // The number of a process is higher than that of its parent only until the numbers wrap around.
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const {id, parent = 0} of all) if (found.has(parent)) found.add(id);
  }
  return [...found];
}

/** @param {number} id */
function ticksOf(id) {
  const stat = readSystemFile(`/proc/${id}/stat`);
  return stat === null ? null : cpuTicksOf(stat);
}

/** @param {number} id */
function threadsOf(id) {
  try {
    return readdirSync(`/proc/${id}/task`);
  } catch {
    return [];
  }
}
