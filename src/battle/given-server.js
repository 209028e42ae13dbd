import {hostname} from 'node:os';
import {listenerPid} from '../hosts/processes.js';
import {isLoopback, ownAddresses} from '../measure/network.js';
import {readProcessTimes} from '../measure/processes.js';

/**
 * @import {Host} from '../hosts/host.js'
 * @import {ProcessTimes} from '../measure/processes.js'
 */

/**
 * What is known of a server that was there before the battle.
 * @typedef {object} GivenServer
 * @property {() => Promise<ProcessTimes | null>} readTimes null: not known
 * @property {readonly Host[] | null} hosts on which its time counts: none, where it runs on another host; null: not known
 */

/**
 * @param {{host: string, port: number}} place of the server
 * @param {readonly Host[]} clients the hosts that reach it
 * @returns {Promise<GivenServer>}
 */
export async function findGivenServer({host, port}, clients) {
  if (!isHere(host)) return {readTimes: async () => null, hosts: []};
  const isLocal = clients.every(({isRemote}) => isRemote === false);
  const pid = isLocal ? await listenerPid(port, /./) : null;
  return {readTimes: async () => readProcessTimes(pid), hosts: null};
}

/** Whether a name or an address is one of this host, or of the host that uses it. @param {string} host */
export function isHere(host) {
  const name = host.toLowerCase();
  return isLoopback(name) || name === hostname() || ownAddresses().includes(name);
}
