import {readdir, readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';

/**
 * Waits until a battle runs this role of a transport, and finds it by its parent.
 * @param {number} parent pid of the battle
 * @param {string} script such as http-server
 * @returns {Promise<number>}
 */
export async function untilRoleRuns(parent, script, withinMs = 20_000) {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    for (const {pid, command} of await childrenOf(parent))
      if (command.includes(`/program.js ${script} `)) return pid;
    await sleep(5);
  }
  throw new Error(`${script} never ran below process ${parent}.`);
}

/**
 * The processes that the main thread of a process started, as Node.js does.
 * @param {number} parent
 * @returns {Promise<{pid: number, command: string}[]>}
 */
export async function childrenOf(parent) {
  const pids = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  return await Promise.all(
    pids
      .split(' ')
      .filter((pid) => pid !== '')
      .map(async (pid) => {
        const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        return {pid: Number(pid), command: command.replaceAll('\0', ' ')};
      }),
  );
}

/**
 * The cores on which each thread of a process may run, as the kernel writes them. The main thread is the first, which it is not in
 * the folder: names are sorted as text there, and 10001 is before 9999.
 * @param {number} pid
 * @returns {Promise<string[]>} none: it is gone
 */
export async function coresOfThreads(pid) {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const isMain = (/** @type {string} */ thread) => Number(thread === String(pid));
  const statuses = await Promise.all(
    threads
      .toSorted((one, other) => isMain(other) - isMain(one))
      .map((thread) => readFile(`/proc/${pid}/task/${thread}/status`, 'utf8').catch(() => '')),
  );
  return statuses.flatMap((status) => /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? []);
}
