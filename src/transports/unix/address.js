import {randomInt} from 'node:crypto';
import {RunError} from '../../errors.js';
import {joinAddress, splitAddress} from '../../net/address.js';

/** The numbers of sockets are those of ports, because a client by hand gets one by --server-port. */
const maxNumber = 65_535;

export function randomNumber() {
  return randomInt(1, maxNumber + 1);
}

/** As long as the kernel allows: Node.js 20 fills up a shorter name with zeros, which later versions do not, so that they would not meet. */
const nameBytes = 108;

/**
 * The socket of a server. Its name is in the abstract namespace of Linux (unix(7)): there is no file, and nothing is left however the server ends.
 * @param {number} number which names it, as a port does
 * @returns {string}
 * @throws {RunError} PB_NO_LIBC on another system than Linux
 */
export function pathOf(number) {
  if (process.platform === 'linux') return `\0perf-battle-${number}`.padEnd(nameBytes, '\0');
  throw new RunError(
    `A Unix socket without a file needs the abstract names of Linux; this host has ${process.platform}.`,
    {code: 'PB_NO_LIBC'},
  );
}

/** @param {number} number @returns {string} what stands for host and port */
export function addressOf(number) {
  return joinAddress('unix', number);
}

/** @param {string} address of which only the number counts */
export function pathOfAddress(address) {
  return pathOf(splitAddress(address).port);
}
