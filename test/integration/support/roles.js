import {readFile} from 'node:fs/promises';
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
