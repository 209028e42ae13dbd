import {readdir, readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';

/**
 * Waits until a battle runs a script of this name, and finds it by its parent.
 * @param {number} parent pid of the battle
 * @param {string} script such as http-server
 * @returns {Promise<number>}
 */
export async function untilRoleRuns(parent, script, withinMs = 20_000) {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    for (const {pid, command} of await childrenOf(parent)) if (command.includes(`/${script}.js`)) return pid;
    await sleep(5);
  }
  throw new Error(`${script} never ran below process ${parent}.`);
}

/** @param {number} parent @returns {Promise<{pid: number, command: string}[]>} */
export async function childrenOf(parent) {
  const children = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The second field, the program's name, may contain any character. The state and the parent follow its closing parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[1]) !== parent || fields[0] === 'Z') continue;
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    children.push({pid: Number(name), command: command.replaceAll('\0', ' ')});
  }
  return children;
}
