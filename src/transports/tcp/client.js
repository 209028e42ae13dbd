import {connect as connectSocket} from 'node:net';
import {splitAddress} from '../../net/address.js';
import {drained, flushed} from '../backpressure.js';
import {PendingReplies, promised} from '../pending-replies.js';
import {readFrames, writeFrame} from './frames.js';

/**
 * @import {Client, ConnectSettings} from '../transport.js'
 * @import {Socket} from 'node:net'
 */

/** The size that Node.js itself allocates for a read. */
const readBytes = 64 * 1024;

/**
 * Connects a client that reuses one read buffer. With a new buffer for each 64 KB, which garbage collection must free, round trips of 1000
 * KB take 1.1 times as long.
 * @param {ConnectSettings} options
 * @returns {Promise<Client>}
 */
export function connect(options) {
  const place = splitAddress(options.servers[0]);
  return connectTo(place, options, 'The TCP server closed the connection.');
}

/**
 * Connects a client of frames over any kind of stream socket.
 * @param {{host: string, port: number} | {path: string}} place @param {Pick<ConnectSettings, 'correlation' | 'noDelay'>} options
 * @param {string} lostMessage for a connection that ends without an error
 * @returns {Promise<Client>}
 */
export async function connectTo(place, {correlation, noDelay}, lostMessage) {
  const pending = new PendingReplies(lostMessage, correlation);
  const readReplies = readFrames((reply) => pending.take(reply));
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  const read = (/** @type {number} */ count) => {
    try {
      readReplies(buffer.subarray(0, count));
    } catch (error) {
      socket.destroy(/** @type {Error} */ (error));
    }
    return true;
  };
  const socket = connectSocket({...place, noDelay, onread: {buffer, callback: read}});
  await opened(socket);
  socket.on('error', (error) => pending.fail(error));
  socket.on('close', () => pending.fail());
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => {
    writeFrame(socket, payload);
    pending.add(payload, waiting);
  };
  return {
    ask,
    request: promised(ask),
    send: sendCorked(socket),
    drained: () => drained(socket),
    flushed: () => flushed(socket),
    closed: pending.closed,
    async close() {
      pending.finish();
      socket.destroy();
    },
  };
}

/**
 * Sends the one-way messages of one turn of the event loop in one system call. No reply is expected for them.
 * @param {Socket} socket
 * @returns {(payload: Buffer) => boolean}
 */
function sendCorked(socket) {
  let isCorked = false;
  const uncork = () => {
    isCorked = false;
    socket.uncork();
  };
  return (payload) => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      process.nextTick(uncork);
    }
    return writeFrame(socket, payload);
  };
}

/** @param {Socket} socket @returns {Promise<void>} */
function opened(socket) {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      resolve();
    });
  });
}
