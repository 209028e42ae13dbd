import {readdir, readFile, readlink} from 'node:fs/promises';

/**
 * The local ports of a process's TCP connections to some ports. Linux only.
 * @param {number} pid of this user, or of any with root's rights
 * @param {ReadonlySet<number>} remotePorts
 * @returns {Promise<number[]>} empty where they are not found
 */
export async function localPortsOf(pid, remotePorts) {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  const sockets = new Set(links);
  const tables = await Promise.all(
    ['net/tcp', 'net/tcp6'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
  );
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => remotePorts.has(portOf(fields[2])) && sockets.has(`socket:[${fields[9]}]`))
    .map((fields) => portOf(fields[1]));
}

/** @param {string | undefined} address as 0100007F:1628 */
function portOf(address) {
  return Number.parseInt(address?.split(':').at(-1) ?? '', 16);
}
