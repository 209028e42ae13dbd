import {connect as connectSocket, createServer} from 'node:net';
import {run, served} from './perf-battle.js';

/**
 * An adapter for perf-battle: an echo over TCP, whose payloads follow their length. Replace serve and connect by what you want to measure.
 */

/** @param {string | null} host @param {number} port @returns {Promise<string>} */
function serve(host, port) {
  const server = createServer({noDelay: true}, (socket) => {
    socket.on('error', () => socket.destroy());
    onPayloads(socket, (payload) => {
      served();
      send(socket, payload);
    });
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, host ?? undefined, () => {
      const {address, port: chosen} = /** @type {import('node:net').AddressInfo} */ (server.address());
      resolve(`${address.includes(':') ? `[${address}]` : address}:${chosen}`);
    });
  });
}

/** @param {string} host @param {number} port @param {number} timeoutMs @returns {Promise<(request: Buffer) => Promise<Buffer>>} */
async function connect(host, port, timeoutMs) {
  const socket = connectSocket({host, port, noDelay: true});
  /** @type {{resolve: (reply: Buffer) => void, reject: (error: Error) => void} | null} */
  let waiting = null;
  const fail = (/** @type {Error} */ error) => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  onPayloads(socket, (reply) => waiting?.resolve(reply));
  return (request) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('a reply did not come in time')), timeoutMs);
      const settled = (/** @type {() => void} */ settle) => {
        clearTimeout(timer);
        waiting = null;
        settle();
      };
      waiting = {
        resolve: (reply) => settled(() => resolve(reply)),
        reject: (error) => settled(() => reject(error)),
      };
      send(socket, request);
    });
}

/** @param {import('node:net').Socket} socket @param {Buffer} payload */
function send(socket, payload) {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(payload.length);
  socket.cork();
  socket.write(head);
  socket.write(payload);
  socket.uncork();
}

/** @param {import('node:net').Socket} socket @param {(payload: Buffer) => void} take */
function onPayloads(socket, take) {
  let data = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    data = data.length === 0 ? chunk : Buffer.concat([data, chunk]);
    while (data.length >= 4 && data.length >= 4 + data.readUInt32BE()) {
      const end = 4 + data.readUInt32BE();
      const payload = data.subarray(4, end);
      data = data.subarray(end);
      take(payload);
    }
  });
}

run({serve, connect});
