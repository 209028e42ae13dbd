import {createServer} from 'node:net';
import {listenAddressFor} from '../hosts/host.js';
import {ownAddresses} from '../measure/network.js';

/**
 * @import {AddressInfo, Server} from 'node:net'
 */

/**
 * @param {string} hostname under which the roles reach a broker on this host
 * @returns {string} the address that it listens on
 */
export function listenAddressOf(hostname) {
  return listenAddressFor(hostname, ownAddresses());
}

/**
 * Picks free ports, all different: each stays open until the last is picked. Another program may take one right afterwards.
 * @param {readonly string[]} addresses the address of this host that each port has to be free on
 * @returns {Promise<number[]>}
 */
export async function pickPorts(addresses) {
  const held = await Promise.all(addresses.map(hold));
  const ports = held.map((server) => /** @type {AddressInfo} */ (server.address()).port);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** @param {string} address @returns {Promise<Server>} */
function hold(address) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, address, () => resolve(server));
  });
}
