import {execFile} from 'node:child_process';
import {stat} from 'node:fs/promises';
import {promisify} from 'node:util';
import {RunError} from '../errors.js';
import {formatCores} from './cores.js';
import {readSystemFile} from './system-file.js';

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
