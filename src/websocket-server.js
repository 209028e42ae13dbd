import {createServer} from 'node:http';
import {WebSocketServer} from 'ws';
import {largestPayloadBytes} from './payload/limits.js';
import {runServerScript} from './roles/server.js';
import {listen} from './transports/listen.js';
import {websocket} from './transports/websocket.js';
import {maskingInForce} from './transports/websocket-masking.js';

/**
 * @param {import('./transports/index.js').Variant} options listenAddress, serverPort, noDelay, deflate
 * @param {import('./transports/index.js').OnRequest} onRequest
 * @returns {Promise<import('./transports/index.js').Server>}
 */
export async function serve(options, onRequest) {
  const server = createServer();
  const webSockets = new WebSocketServer({
    server,
    perMessageDeflate: options.deflate,
    maxPayload: largestPayloadBytes,
  });
  webSockets.on('error', () => {});
  webSockets.on('connection', (webSocket, request) => {
    request.socket.setNoDelay(options.noDelay);
    serveWebSocket(webSocket, onRequest);
  });
  return {...(await listen(server, options)), details: {masking: maskingInForce()}};
}

/**
 * @param {import('ws').WebSocket} webSocket
 * @param {import('./transports/index.js').OnRequest} onRequest
 */
function serveWebSocket(webSocket, onRequest) {
  const reply = {
    /** @param {Buffer} [chunk] */
    end: (chunk) => {
      if (chunk) webSocket.send(chunk, {binary: true});
    },
  };
  webSocket.on('error', () => webSocket.terminate());
  webSocket.on('message', (request) => onRequest(/** @type {Buffer} */ (request), reply));
}

await runServerScript(import.meta.url, websocket, serve);
