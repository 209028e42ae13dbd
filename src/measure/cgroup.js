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
  const groups = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => groupOf(line) ?? []);
  const files = groups
    .flatMap(foldersAbove)
    .map((folder) => `${folder}/cpu.stat`)
    .filter((file) => throttledIn(read(file)) !== null);
  return () =>
    files.length === 0 ? null : files.reduce((sum, file) => sum + (throttledIn(read(file)) ?? 0), 0);
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
