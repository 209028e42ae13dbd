import {randomInt} from 'node:crypto';
import {RunError} from '../../errors.js';
import {joinAddress, splitAddress} from '../../net/address.js';

/** Socket numbers have the range of ports, because --server-port sets them for clients that are started by hand. */
const maxNumber = 65_535;

export function randomNumber() {
  return randomInt(1, maxNumber + 1);
}

/** The maximum length of a name. Node.js 20 pads a shorter name with zeros, and later versions do not, so their names would differ. */
const nameBytes = 108;

/**
 * Returns the path of a server's socket in the abstract namespace of Linux (unix(7)). There is no file, so nothing remains, however the
 * server ends.
 * @param {number} number of the socket, used like a port
 * @throws {RunError} PB_NO_LIBC on systems other than Linux
 */
export function pathOf(number) {
  if (process.platform === 'linux') return `\0perf-battle-${number}`.padEnd(nameBytes, '\0');
  throw new RunError(
    `A Unix socket without a file needs the abstract names of Linux; this host has ${process.platform}.`,
    {code: 'PB_NO_LIBC'},
  );
}

/** @param {number} number @returns {string} the address instead of host:port */
export function addressOf(number) {
  return joinAddress('unix', number);
}

/** @param {string} address of which only the number is used */
export function pathOfAddress(address) {
  return pathOf(splitAddress(address).port);
}
