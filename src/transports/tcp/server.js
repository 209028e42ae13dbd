import {createServer} from 'node:net';
import {listen} from '../../net/listen.js';
import {drained} from '../backpressure.js';
import {SerializedRequests} from '../serialized-requests.js';
import {FrameReader, writeFrame} from './frames.js';

/**
 * @import {OnRequest, ServeSettings, Server} from '../transport.js'
 * @import {Socket} from 'node:net'
 */

/** @param {ServeSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  return await listen(makeServer(options, onRequest), options);
}

/** Makes a server of frames that does not listen yet. @param {Pick<ServeSettings, 'noDelay'>} options @param {OnRequest} onRequest */
export function makeServer({noDelay}, onRequest) {
  return createServer({noDelay}, (socket) => serveSocket(socket, onRequest));
}

/** @param {Socket} socket @param {OnRequest} onRequest */
function serveSocket(socket, onRequest) {
  const connection = {
    send: (/** @type {Buffer} */ message) => writeFrame(socket, message),
    drained: () => drained(socket),
    unreadBytes: () => socket.writableLength,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
  const requests = new SerializedRequests(connection, onRequest);
  const frames = new FrameReader((request) => requests.take(request));
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    try {
      frames.read(chunk);
    } catch {
      socket.destroy();
    }
  });
}
