import {networkInterfaces} from 'node:os';

/**
 * @param {readonly string[]} [own] addresses of the network interfaces of this host
 * @returns {string} the address by which its processes reach each other: 127.0.0.1, unless there is only ::1
 */
export function loopbackAddress(own = ownAddresses()) {
  return own.includes('::1') && !own.includes('127.0.0.1') ? '::1' : '127.0.0.1';
}

/** @returns {string[]} of this host */
export function ownAddresses() {
  return Object.values(networkInterfaces()).flatMap((list) => list?.map(({address}) => address) ?? []);
}
