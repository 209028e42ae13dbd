import {execFile} from 'node:child_process';
import {stat} from 'node:fs/promises';
import {promisify} from 'node:util';
import {RunError} from '../errors.js';
import {readSystemFile} from './system-file.js';

/** The largest number of a core that a list may name: Linux supports 8192 of them (CONFIG_NR_CPUS of x86-64). */
const maxCore = 8191;

/**
 * Reads a list of cores as `taskset -c` and Linux's `Cpus_allowed_list` write it: `0`, `0,2`, `0-3`.
 *
 * @param {string} text
 * @returns {number[] | undefined} in ascending order, each once; undefined if the text is no such list
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

/**
 * @param {readonly number[]} cores in ascending order
 * @returns {string} that `parseCores` reads back: 0-3,6
 */
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
 * Reads `--pin`.
 *
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

/** @returns {number[]} those that this process may use; none where the system does not tell */
export function allowedCores() {
  const status = readSystemFile('/proc/self/status') ?? '';
  return parseCores(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '') ?? [];
}

const execute = promisify(execFile);

/**
 * What the scheduler did with the main thread of this process so far, which runs the JavaScript. Null where the system does not offer it.
 *
 * @typedef {object} MainThread
 * @property {number | null} cpuMs
 * @property {number | null} runDelayMs how long it was ready to run and waited for a core; the time in which a control group was throttled is
 *   a part of it
 * @property {number | null} wakeUps how often it was put on a core
 * @property {number | null} migrations how often it changed its core
 */

/**
 * The files of `self`, not of `thread-self`: both are the main thread here, and the former is older.
 * @param {(file: string) => string | null} [read] null: there is no such file
 * @returns {MainThread}
 */
export function readMainThread(read = readSystemFile) {
  // Documentation/scheduler/sched-stats.rst: time on a core, time in a queue (both ns), and how often it was put on a core.
  const [cpuNs, runDelayNs, wakeUps = null] = read('/proc/self/schedstat')?.split(' ').map(Number) ?? [];
  const migrations = /^se\.nr_migrations\s*:\s*(\d+)$/m.exec(read('/proc/self/sched') ?? '')?.[1];
  return {
    cpuMs: cpuNs === undefined ? null : cpuNs / 1e6,
    runDelayMs: runDelayNs === undefined ? null : runDelayNs / 1e6,
    wakeUps,
    migrations: migrations === undefined ? null : Number(migrations),
  };
}

/**
 * Lets the main thread of a process run on these cores only. Its other threads keep all cores: those that compile and collect garbage live since its
 * start, and those of libuv, which would take over where the main thread may run, are made here.
 *
 * @param {readonly number[]} cores
 * @param {number} [pid] of a process on this host; by default this one
 * @throws {RunError} when taskset cannot be used
 */
export async function placeMainThread(cores, pid = process.pid) {
  await stat('/');
  // sched_setaffinity(2): the number of a process stands for its first thread.
  await execute('taskset', ['-c', '-p', formatCores(cores), String(pid)]).catch(({message}) => {
    throw new RunError(
      `The main thread could not be placed on core ${formatCores(cores)}: ${message.trim()}`,
    );
  });
}
