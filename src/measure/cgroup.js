import {availableParallelism} from 'node:os';
import {readSystemFile} from './system-file.js';

/** Where control groups are mounted, by convention of systemd and of containers. */
const root = '/sys/fs/cgroup';

/**
 * Finds where the system reports how long the CPU limits of control groups have stopped the processes in them, such as the limit of a container.
 * The limits of all groups above this process apply to it.
 *
 * @param {(file: string) => string | null} [read] null: there is no such file
 * @returns {() => number | null} reads it, in ms, of each core; null where no group of this process reports it
 */
export function findThrottling(read = readSystemFile) {
  const files = ownFolders(read)
    .map((folder) => `${folder}/cpu.stat`)
    .filter((file) => throttledIn(read(file)) !== null);
  return () =>
    files.length === 0 ? null : files.reduce((sum, file) => sum + (throttledIn(read(file)) ?? 0), 0);
}

/**
 * The smallest CPU limit of the control groups of this process, as in a container.
 *
 * @param {(file: string) => string | null} [read] null: there is no such file
 * @param {number} [cores] that this process may use
 * @returns {number | null} in cores; null if there is none that is smaller than these
 */
export function cpuLimitOf(read = readSystemFile, cores = availableParallelism()) {
  const limits = ownFolders(read).flatMap((folder) => {
    // cpu.max is of version 2: quota and period, in µs; the others are of version 1, where -1 means none.
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

/** @param {(file: string) => string | null} read @returns {string[]} of the groups of this process and those above them */
function ownFolders(read) {
  const groups = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => groupOf(line) ?? []);
  return groups.flatMap(foldersAbove);
}

/**
 * cgroups(7): the line of version 2 is `0::/path`; version 1 has a line for each hierarchy, with the names of its controllers.
 * @param {string} line of /proc/self/cgroup
 * @returns {{mount: string, path: string} | null} null: the group has no limit of the CPU
 */
function groupOf(line) {
  const [, number, controllers, path] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
  if (number === '0') return {mount: root, path};
  if (controllers?.split(',').includes('cpu')) return {mount: `${root}/${controllers}`, path};
  return null;
}

/** In a container, a group of version 1 may have a path that exists only outside; the mount itself is then the group. @param {{mount: string, path: string}} group */
function foldersAbove({mount, path}) {
  const names = path.split('/').filter((name) => name !== '');
  return Array.from({length: names.length + 1}, (_, depth) => [mount, ...names.slice(0, depth)].join('/'));
}

/** @param {string | null} stat content of cpu.stat: µs in version 2, ns in version 1 */
function throttledIn(stat) {
  const [, name, value] = /^(throttled_usec|throttled_time) (\d+)$/m.exec(stat ?? '') ?? [];
  if (name === undefined) return null;
  return name === 'throttled_usec' ? Number(value) / 1e3 : Number(value) / 1e6;
}
