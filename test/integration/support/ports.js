import {readdir, readFile, readlink} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {pickPorts} from '../../../src/net/listen.js';

/** A port that was free a moment ago, and that no connection of this host is given. */
export async function freePort() {
  const [port] = await pickPorts(['0.0.0.0']);
  return port;
}

/**
 * The addresses that a process listens on, as /proc/net/tcp and tcp6 have them: 0100007F is 127.0.0.1.
 * @param {number} pid
 * @returns {Promise<string[]>} hexadecimal, without the port
 */
export const listeningAddresses = (pid) => localAddresses(pid, '0A');

/** Waits until a process has a TCP connection. @param {number} pid */
export async function untilConnected(pid) {
  while ((await localAddresses(pid, '01')).length === 0) await sleep(20);
}

/** @param {number} pid @param {string} state of its sockets, such as 0A: listening, 01: established */
async function localAddresses(pid, state) {
  const inodes = new Set();
  for (const file of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '');
    inodes.add(/^socket:\[(\d+)\]$/.exec(target)?.[1]);
  }
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === state && inodes.has(fields[9]))
    .map((fields) => fields[1].split(':')[0]);
}
