import {networkInterfaces} from 'node:os';
import {listenAddressFor} from '../hosts/host.js';

/**
 * @param {string} hostname under which the roles reach a broker on this host
 * @returns {string} the address that it listens on
 */
export function listenAddressOf(hostname) {
  return listenAddressFor(hostname, ownAddresses());
}

/** @returns {string[]} of this host */
export function ownAddresses() {
  return Object.values(networkInterfaces()).flatMap((list) => list?.map(({address}) => address) ?? []);
}
