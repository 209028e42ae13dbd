import {createSocket} from 'node:dgram';

/** @import {Socket, SocketType} from 'node:dgram' */

/**
 * Asked of the kernel for both directions. It takes what net.core.rmem_max and wmem_max allow, and Linux doubles that for its own
 * bookkeeping.
 */
const bufferBytes = 4 * 1024 * 1024;
/** What the kernel keeps beside the bytes of a datagram. */
const perDatagramBytes = 512;
const maxWindow = 512;
const minWindow = 2;

/** @param {SocketType} type @returns {Socket} */
export function openSocket(type) {
  return createSocket({type, lookup: addressAsGiven});
}

/**
 * Once it is bound.
 * @param {Socket} socket
 * @returns {{receiveBufferBytes: number, sendBufferBytes: number}} what the kernel gave
 */
export function enlargeBuffers(socket) {
  for (const resize of /** @type {const} */ (['setRecvBufferSize', 'setSendBufferSize'])) {
    try {
      socket[resize](bufferBytes);
    } catch {
      // macOS refuses what is too large. The buffer keeps its size.
    }
  }
  return {receiveBufferBytes: socket.getRecvBufferSize(), sendBufferBytes: socket.getSendBufferSize()};
}

/**
 * How many datagrams may be without an acknowledgement: as many as fit into half of the receive buffer of the kernel.
 * @param {number} datagramBytes
 * @param {number} receiveBufferBytes
 * @returns {number} a power of two
 */
export function windowOf(datagramBytes, receiveBufferBytes) {
  const fitting = receiveBufferBytes / 2 / (datagramBytes + perDatagramBytes);
  return 2 ** Math.floor(Math.log2(Math.min(maxWindow, Math.max(minWindow, fitting))));
}

/**
 * All addresses are numbers. With the default look-up, each datagram would wait for the next turn of the event loop.
 * @param {string} address
 * @param {any} family the types of Node.js have the options of dns.lookup here
 * @param {(error: null, address: string, family: number) => void} callback
 */
function addressAsGiven(address, family, callback) {
  callback(null, address, family);
}

/** The clock of retransmissions, in ms. */
export const now = () => performance.now();

/**
 * Calls at a time that moves often. A timer that is set for an earlier time than needed is left as it is: setting it anew for every datagram would
 * cost more than a call too early.
 */
export class Alarm {
  /**
   * @param {() => number} now
   * @param {() => void} onTime may come too early; it calls `at` again
   */
  constructor(now, onTime) {
    this.now = now;
    this.onTime = onTime;
    this.setFor = Number.POSITIVE_INFINITY;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    this.ring = () => {
      this.setFor = Number.POSITIVE_INFINITY;
      this.onTime();
    };
  }

  /** @param {number} ms by `now`; infinite: never */
  at(ms) {
    if (ms >= this.setFor) return;
    clearTimeout(this.timer);
    this.setFor = ms;
    this.timer = setTimeout(this.ring, Math.max(1, Math.ceil(ms - this.now())));
  }

  clear() {
    clearTimeout(this.timer);
    this.setFor = Number.POSITIVE_INFINITY;
  }
}
