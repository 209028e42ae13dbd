import {connect as connectSocket} from 'node:net';
import {runClientScript} from './roles/client.js';
import {splitAddress} from './transports/address.js';
import {PendingReplies} from './transports/pending-replies.js';
import {tcp} from './transports/tcp.js';
import {FrameReader, writeFrame} from './transports/tcp-frames.js';

/**
 * @param {import('./transports/index.js').ClientOptions} options servers, noDelay
 * @returns {Promise<import('./transports/index.js').Client>}
 */
export async function connect(options) {
  const {host, port} = splitAddress(options.servers[0]);
  const socket = connectSocket({host, port, noDelay: options.noDelay});
  await opened(socket);
  const pending = new PendingReplies('The TCP server closed the connection.');
  const frames = new FrameReader((reply) => pending.resolveNext(reply));
  socket.on('data', (chunk) => {
    try {
      frames.read(chunk);
    } catch (error) {
      socket.destroy(/** @type {Error} */ (error));
    }
  });
  socket.on('error', (error) => pending.fail(error));
  socket.on('close', () => pending.fail());
  return {
    request(payload) {
      writeFrame(socket, payload);
      return pending.add();
    },
    closed: pending.closed,
    async close() {
      pending.finish();
      socket.destroy();
    },
  };
}

/** @param {import('node:net').Socket} socket @returns {Promise<void>} */
function opened(socket) {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      resolve();
    });
  });
}

await runClientScript(import.meta.url, tcp, connect);
