import {readdir, readFile} from 'node:fs/promises';

/**
 * @typedef {{pid: number, command: string, startedAt: string}} Process startedAt: in ticks since the boot; a process that has the number of
 *   one that ended has another
 */

/**
 * A process and all that it started, directly or not. A supervisor has no variable by which it could be found.
 * @param {number} root
 * @returns {Promise<Process[]>}
 */
export async function processesBelow(root) {
  const all = await readProcesses();
  const found = all.filter(({pid}) => pid === root);
  for (const {pid} of found) found.push(...all.filter(({parent}) => parent === pid));
  return found;
}

/** @param {readonly Process[]} processes @returns {Promise<Process[]>} those that still run */
export async function stillRunning(processes) {
  const all = await readProcesses();
  return processes.filter(({pid, startedAt}) =>
    all.some((one) => one.pid === pid && one.startedAt === startedAt),
  );
}

/** Those that ended, but were not waited for, are left out. */
async function readProcesses() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = await Promise.all(pids.map((pid) => readProcess(Number(pid)).catch(() => null)));
  return read.filter((one) => one !== null);
}

/** @param {number} pid @returns {Promise<(Process & {parent: number}) | null>} */
async function readProcess(pid) {
  const [stat, command] = await Promise.all(
    ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
  );
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z') return null;
  return {pid, parent: Number(fields[1]), startedAt: fields[19], command: command.replaceAll('\0', ' ')};
}
