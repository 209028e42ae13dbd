import {execFile} from 'node:child_process';
import {stat} from 'node:fs/promises';
import {availableParallelism} from 'node:os';
import {promisify} from 'node:util';
import {RunError} from '../errors.js';
import {readSystemFile} from './system.js';

/** @import {MainThread} from './types.js' */

/** The largest core number in a list. Linux supports 8192 cores (CONFIG_NR_CPUS of x86-64). */
const maxCore = 8191;

/**
 * Parses a list of cores in the notation of `taskset -c` and of Linux's `Cpus_allowed_list`: `0`, `0,2`, `0-3`.
 * @param {string} text
 * @returns {number[] | undefined} distinct cores in ascending order; undefined if the text is no such list
 */
export function parseCores(text) {
  /** @type {Set<number>} */
  const cores = new Set();
  for (const part of text.trim().split(',')) {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? [];
    if (from === undefined || Number(to) < Number(from) || Number(to) > maxCore) return undefined;
    for (let core = Number(from); core <= Number(to); core += 1) cores.add(core);
  }
  return [...cores].toSorted((one, other) => one - other);
}

/** @param {readonly number[]} cores in ascending order @returns {string} a list for `parseCores`, such as 0-3,6 */
export function formatCores(cores) {
  /** @type {[number, number][]} */
  const ranges = [];
  for (const core of cores) {
    const last = ranges.at(-1);
    if (last && last[1] === core - 1) last[1] = core;
    else ranges.push([core, core]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/**
 * Parses the value of `--pin`.
 * @param {string} text
 * @returns {'auto' | 'main' | 'none' | {client: number[], server: number[], broker: number[] | null} | undefined} undefined if it is not allowed
 */
export function parsePin(text) {
  if (text === 'auto' || text === 'main' || text === 'none') return text;
  const lists = text.split('/').map(parseCores);
  const [client, server, broker = null] = lists;
  if (lists.length > 3 || lists.includes(undefined) || !client || !server) return undefined;
  return {client, server, broker};
}

/** @returns {number[]} the cores that this process may use; empty if the system does not report them */
export function allowedCores() {
  const status = readSystemFile('/proc/self/status') ?? '';
  return parseCores(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '') ?? [];
}

const execute = promisify(execFile);

/**
 * Reads the scheduler's counters of a thread. `self` also denotes the main thread, and is older than `thread-self`.
 * @param {(file: string) => string | null} [read] returns null if the file does not exist
 * @param {string} [folder] the folder of the thread; by default the main thread of this process
 * @returns {MainThread}
 */
export function readMainThread(read = readSystemFile, folder = '/proc/self') {
  // Documentation/scheduler/sched-stats.rst: time on a core, time in a queue (both ns), and how often the thread was put on a core.
  const [cpuNs, runDelayNs, wakeUps = null] = read(`${folder}/schedstat`)?.split(' ').map(Number) ?? [];
  const migrations = /^se\.nr_migrations\s*:\s*(\d+)$/m.exec(read(`${folder}/sched`) ?? '')?.[1];
  return {
    cpuMs: cpuNs === undefined ? null : cpuNs / 1e6,
    runDelayMs: runDelayNs === undefined ? null : runDelayNs / 1e6,
    wakeUps,
    migrations: migrations === undefined ? null : Number(migrations),
  };
}

/**
 * Pins the main thread of a process to cores. Its other threads keep all cores. The threads that compile and collect garbage exist since the start.
 * The threads of libuv would inherit the cores of the main thread, so the `stat` call below creates them first.
 * @param {readonly number[]} cores
 * @param {number} [pid] of a process on this host; by default this process
 * @throws {RunError} when taskset cannot be used
 */
export async function placeMainThread(cores, pid = process.pid) {
  await stat('/');
  // sched_setaffinity(2): the pid of a process denotes its main thread.
  await execute('taskset', ['-c', '-p', formatCores(cores), String(pid)]).catch(({message}) => {
    throw new RunError(
      `The main thread could not be placed on core ${formatCores(cores)}: ${message.trim()}`,
    );
  });
}

/** The mount point of control groups by the convention of systemd and of containers. */
const root = '/sys/fs/cgroup';

/**
 * Finds the files in which control groups report how long their CPU limits, such as the limit of a container, have stopped processes. The limits of
 * all groups above this process apply to it.
 * @param {(file: string) => string | null} [read] returns null if the file does not exist
 * @returns {() => number | null} reads the time in ms, summed over the cores; null if no group of this process reports it
 */
export function findThrottling(read = readSystemFile) {
  const files = ownFolders(read)
    .map((folder) => `${folder}/cpu.stat`)
    .filter((file) => throttledIn(read(file)) !== null);
  return () =>
    files.length === 0 ? null : files.reduce((sum, file) => sum + (throttledIn(read(file)) ?? 0), 0);
}

/**
 * Returns the smallest CPU limit of the control groups of this process, such as the limit of a container.
 * @param {(file: string) => string | null} [read] returns null if the file does not exist
 * @param {number} [cores] that this process may use
 * @returns {number | null} in cores; null if no limit is smaller than the number of cores
 */
export function cpuLimitOf(read = readSystemFile, cores = availableParallelism()) {
  const limits = ownFolders(read).flatMap((folder) => {
    // Version 2 has cpu.max: quota and period in µs. Version 1 has the other two files, where -1 means no limit.
    const [quota, period] = (
      read(`${folder}/cpu.max`) ??
      `${read(`${folder}/cpu.cfs_quota_us`) ?? 'max'} ${read(`${folder}/cpu.cfs_period_us`) ?? ''}`
    )
      .trim()
      .split(/\s+/)
      .map(Number);
    return quota > 0 && period > 0 ? quota / period : [];
  });
  const limit = Math.min(...limits, Number.POSITIVE_INFINITY);
  return limit < cores ? limit : null;
}

/** @param {(file: string) => string | null} read @returns {string[]} the folders of this process's groups and of the groups above them */
function ownFolders(read) {
  const groups = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => groupOf(line) ?? []);
  return groups.flatMap(foldersAbove);
}

/**
 * cgroups(7): the line of version 2 is `0::/path`; version 1 has a line for each hierarchy, with the names of its controllers.
 * @param {string} line of /proc/self/cgroup
 * @returns {{mount: string, path: string} | null} null for a group without a CPU limit
 */
function groupOf(line) {
  const [, number, controllers, path] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
  if (number === '0') return {mount: root, path};
  if (controllers?.split(',').includes('cpu')) return {mount: `${root}/${controllers}`, path};
  return null;
}

/** In a container, the path of a group of version 1 may exist only outside. The mount itself is then the group. @param {{mount: string, path: string}} group */
function foldersAbove({mount, path}) {
  const names = path.split('/').filter((name) => name !== '');
  return Array.from({length: names.length + 1}, (_, depth) => [mount, ...names.slice(0, depth)].join('/'));
}

/** @param {string | null} stat the content of cpu.stat, in µs (version 2) or ns (version 1) */
function throttledIn(stat) {
  const [, name, value] = /^(throttled_usec|throttled_time) (\d+)$/m.exec(stat ?? '') ?? [];
  if (name === undefined) return null;
  return name === 'throttled_usec' ? Number(value) / 1e3 : Number(value) / 1e6;
}
