import {listenAddressFor} from '../hosts/host.js';
import {ownAddresses} from '../measure/loopback.js';

/**
 * @param {string} hostname under which the roles reach a broker on this host
 * @returns {string} the address that it listens on
 */
export function listenAddressOf(hostname) {
  return listenAddressFor(hostname, ownAddresses());
}
