import {createSocket} from 'node:dgram';

/** @import {Socket, SocketType} from 'node:dgram' */

/**
 * The buffer size that is requested for both directions. The kernel limits it to net.core.rmem_max and wmem_max. Linux doubles the value
 * for its own bookkeeping.
 */
const bufferBytes = 4 * 1024 * 1024;
/** The kernel's overhead for a datagram in the buffer. */
const perDatagramBytes = 512;
const maxWindow = 512;
const minWindow = 2;

/** @param {SocketType} type */
export function openSocket(type) {
  return createSocket({type, lookup: addressAsGiven});
}

/**
 * Enlarges the kernel's buffers of a bound socket.
 * @param {Socket} socket
 * @returns {{receiveBufferBytes: number, sendBufferBytes: number}} the sizes that the kernel granted
 */
export function enlargeBuffers(socket) {
  for (const resize of /** @type {const} */ (['setRecvBufferSize', 'setSendBufferSize'])) {
    try {
      socket[resize](bufferBytes);
    } catch {
      // macOS refuses a size that is too large. The buffer then keeps its size.
    }
  }
  return {receiveBufferBytes: socket.getRecvBufferSize(), sendBufferBytes: socket.getSendBufferSize()};
}

/**
 * Returns the maximum number of unacknowledged datagrams: they fit into half of the kernel's receive buffer.
 * @param {number} datagramBytes @param {number} receiveBufferBytes
 * @returns {number} a power of two
 */
export function windowOf(datagramBytes, receiveBufferBytes) {
  const fitting = receiveBufferBytes / 2 / (datagramBytes + perDatagramBytes);
  return 2 ** Math.floor(Math.log2(Math.min(maxWindow, Math.max(minWindow, fitting))));
}

/**
 * Replaces the default look-up, because all addresses are numeric. With the default, each datagram would wait for the next turn of the
 * event loop.
 * @param {string} address
 * @param {any} family the types of Node.js have the options of dns.lookup here
 * @param {(error: null, address: string, family: number) => void} callback
 */
function addressAsGiven(address, family, callback) {
  callback(null, address, family);
}

/** The clock of retransmissions, in milliseconds. */
export const now = () => performance.now();

/**
 * Calls a function at a time that changes often. A timer for an earlier time is kept, because setting a timer for every datagram would cost
 * more than an early call.
 */
export class Alarm {
  /** @param {() => number} now @param {() => void} onTime may be called too early, and then calls `at` again */
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

  /** @param {number} ms by the clock of `now`; infinite: never */
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
