import {connectionsIn} from './processes.js';

/** @import {Host} from './host.js' */

/**
 * The local ports of a process's TCP connections to some ports of any host.
 * @param {Pick<Host, 'runShell'>} host where it runs, with Linux
 * @param {number} pid of the user of this program there, or of any with root's rights
 * @param {readonly number[]} remotePorts
 * @returns {Promise<number[]>} empty where they are not found
 */
export async function localPortsOf(host, pid, remotePorts) {
  const printed = await host.runShell(`ls -l /proc/${pid}/fd; cat /proc/net/tcp /proc/net/tcp6`);
  const sockets = new Set(Array.from(printed.matchAll(/-> socket:\[(\d+)\]/g), ([, inode]) => inode));
  return connectionsIn(printed)
    .filter(({remotePort, inode}) => remotePorts.includes(remotePort) && sockets.has(inode))
    .map(({localPort}) => localPort);
}
