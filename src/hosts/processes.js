/**
 * What can be learnt about processes of this host: from /proc on Linux, from `ps` elsewhere.
 */
import {execFile} from 'node:child_process';
import {readdir, readFile, readlink} from 'node:fs/promises';
import {promisify} from 'node:util';

const run = promisify(execFile);
const LISTENING = '0A';

/**
 * When a process started, in whatever unit this host has: together with the pid it names one process for good.
 * @param {number} pid
 * @returns {Promise<string | null>} null when no such process runs
 */
export async function startTimeOf(pid) {
  if (process.platform !== 'linux') return await ps(['-o', 'lstart=', '-p', String(pid)]);
  const stat = await readOrNull(`/proc/${pid}/stat`);
  // The second field, the program's name, may contain anything; after its last parenthesis the third follows.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return null;
  return fields[19];
}

/**
 * The processes whose home folder is this one. Whatever a private broker starts has it in its environment, also a
 * helper whose parent is gone.
 * @param {string} home
 * @returns {Promise<number[]>}
 */
export async function processesAtHome(home) {
  if (process.platform !== 'linux') return await processesAtHomeByPs(home);
  const found = await Promise.all(
    (await pids()).map(async (pid) => {
      const environment = await readOrNull(`/proc/${pid}/environ`);
      return environment?.split('\0').includes(`HOME=${home}`) ? pid : null;
    }),
  );
  return found.filter((pid) => pid !== null);
}

/**
 * The process that listens on a TCP port of this host.
 * @param {number} port
 * @param {RegExp} name what its program must be called: a forwarding proxy is not the broker behind it
 * @returns {Promise<number | null>} null when it cannot be found: not on Linux, no such process, or another user's
 */
export async function listenerPid(port, name) {
  const sockets = new Set((await listeningInodes(port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return null;
  for (const pid of await pids()) {
    if (!name.test((await readOrNull(`/proc/${pid}/comm`)) ?? '')) continue;
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const file of files) {
      if (sockets.has(await readlink(`/proc/${pid}/fd/${file}`).catch(() => ''))) return pid;
    }
  }
  return null;
}

/** @param {number} port */
async function listeningInodes(port) {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readOrNull));
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return tables
    .flatMap((table) => (table ?? '').split('\n').map((line) => line.trim().split(/\s+/)))
    .filter((fields) => fields[1]?.endsWith(local) && fields[3] === LISTENING)
    .map((fields) => fields[9]);
}

async function pids() {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/**
 * For macOS, where `ps -E` shows the environment of one's own processes after their command. Not run in our tests.
 * @param {string} home
 */
async function processesAtHomeByPs(home) {
  const lines = ((await ps(['-axEww', '-o', 'pid=,command='])) ?? '').split('\n');
  return lines
    .filter((line) => `${line} `.includes(` HOME=${home} `))
    .map((line) => Number.parseInt(line, 10));
}

/** @param {string[]} options */
async function ps(options) {
  const {stdout} = await run('ps', options).catch(() => ({stdout: ''}));
  return stdout.trim() || null;
}

/** @param {string} file */
async function readOrNull(file) {
  return await readFile(file, 'utf8').catch(() => null);
}
