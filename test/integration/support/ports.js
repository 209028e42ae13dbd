import {once} from 'node:events';
import {readdir, readFile, readlink} from 'node:fs/promises';
import {createServer} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';

/** Linux gives connections and servers without a port of their own those from 32768 on, so nobody is given one of these. */
const ports = {first: 11_000, count: 20_000};

/** A port that was free a moment ago. */
export async function freePort() {
  for (;;) {
    const server = createServer();
    const port = ports.first + Math.floor(Math.random() * ports.count);
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
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
