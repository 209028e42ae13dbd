/** Information about the processes of this host, from /proc on Linux and from `ps` on other systems. */
import {execFile} from 'node:child_process';
import {readdir, readFile, readlink} from 'node:fs/promises';
import {promisify} from 'node:util';

/** @import {Host} from './types.js' */

const run = promisify(execFile);
const LISTENING = '0A';

/**
 * Returns the processes with this home folder. All processes of a private broker inherit the folder, including helpers whose parent has ended.
 * @param {string} home
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
 * Returns the process that listens on a TCP port of this host.
 * @param {number} port
 * @param {RegExp} name of the program, which distinguishes a broker from a proxy in front of it
 * @returns {Promise<number | null>} null if no process is found, or if it belongs to another user, and on systems other than Linux
 */
export async function listenerPid(port, name) {
  const sockets = new Set((await listeningInodes(port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return null;
  for (const pid of await pids()) {
    if (!name.test((await readOrNull(`/proc/${pid}/comm`)) ?? '')) continue;
    if ((await openFilesOf(pid)).some((file) => sockets.has(file))) return pid;
  }
  return null;
}

/** @param {number} port */
async function listeningInodes(port) {
  const connections = await tcpConnections();
  return connections
    .filter(({localPort, state}) => localPort === port && state === LISTENING)
    .map(({inode}) => inode);
}

/** Returns listening sockets, and both ends of local connections. */
async function tcpConnections() {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readOrNull));
  return connectionsIn(tables.join(''));
}

/** @param {string} tables the content of /proc/net/tcp and /proc/net/tcp6; other lines are ignored */
function connectionsIn(tables) {
  const lines = tables.match(/^ *\d+: .*$/gm) ?? [];
  return lines.map((line) => {
    const fields = line.trim().split(/\s+/);
    return {localPort: portOf(fields[1]), remotePort: portOf(fields[2]), state: fields[3], inode: fields[9]};
  });
}

/** @param {string} address such as 0100007F:1628 */
function portOf(address) {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}

/** @param {number} pid */
async function openFilesOf(pid) {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
}

async function pids() {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/**
 * Serves macOS, where `ps -E` shows the environment of the user's own processes after their command. No test covers this function.
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

/**
 * Returns the local ports of a process's TCP connections to the given ports of any host.
 * @param {Pick<Host, 'runShell'>} host the Linux host of the process
 * @param {number} pid a process of the same user, or of any user with root's rights
 * @param {readonly number[]} remotePorts
 * @returns {Promise<number[]>} empty if none are found
 */
export async function localPortsOf(host, pid, remotePorts) {
  const printed = await host.runShell(`ls -l /proc/${pid}/fd; cat /proc/net/tcp /proc/net/tcp6`);
  const sockets = new Set(Array.from(printed.matchAll(/-> socket:\[(\d+)\]/g), ([, inode]) => inode));
  return connectionsIn(printed)
    .filter(({remotePort, inode}) => remotePorts.includes(remotePort) && sockets.has(inode))
    .map(({localPort}) => localPort);
}
