import {randomInt} from 'node:crypto';
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
 * Below the ephemeral ports, and above those of well-known services. The source port of any connection of this host is an ephemeral one, so
 * the port of a node that is started again would be taken now and then.
 */
const from = 10_000;
const below = 30_000;

/** A port that some program on this host may listen on. It may be in use. */
export function randomPort() {
  return randomInt(from, below);
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

const maxTries = 100;

/** @param {string} address @returns {Promise<Server>} on a port that was free */
async function hold(address) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await listen(randomPort(), address);
    } catch (error) {
      const {code} = /** @type {NodeJS.ErrnoException} */ (error);
      // EACCES: a range that this system keeps for itself.
      if (tries === maxTries || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
    }
  }
}

/** @param {number} port @param {string} address @returns {Promise<Server>} */
function listen(port, address) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, address, () => resolve(server));
  });
}
