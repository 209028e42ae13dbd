import {createSocket} from 'node:dgram';

/**
 * @import {Socket, SocketType} from 'node:dgram'
 */

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
