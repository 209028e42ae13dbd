import {createServer} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {maxPayloadBytes} from './payload/limits.js';
import {runServerScript} from './roles/server.js';
import {listen} from './transports/listen.js';
import {loadPackage} from './transports/load-package.js';
import {SerializedRequests} from './transports/serialized-requests.js';
import {serverCredentials} from './transports/tls.js';
import {websocket} from './transports/websocket.js';
import {WebSocketBackpressure} from './transports/websocket-backpressure.js';
import {maskingInForce} from './transports/websocket-masking.js';

/**
 * @import {WebSocketSettings} from './transports/websocket.js'
 * @import {OnRequest, ServeSettings, Server} from './transports/transport.js'
 * @import {Socket} from 'node:net'
 * @import * as ws from 'ws'
 */

/** @type {typeof ws} */
const {WebSocketServer} = loadPackage('ws');

/**
 * @param {ServeSettings & WebSocketSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 */
export async function serve(options, onRequest) {
  const credentials = await serverCredentials(options);
  const server = credentials ? createTlsServer(credentials) : createServer();
  const webSockets = new WebSocketServer({
    server,
    perMessageDeflate: options.deflate,
    maxPayload: maxPayloadBytes,
  });
  webSockets.on('error', () => {});
  webSockets.on('connection', (webSocket, request) => {
    request.socket.setNoDelay(options.noDelay);
    serveWebSocket(webSocket, request.socket, onRequest);
  });
  const certificate = credentials?.cert ?? null;
  return {...(await listen(server, options)), details: {masking: maskingInForce()}, certificate};
}

/**
 * @param {ws.WebSocket} webSocket
 * @param {Socket} socket
 * @param {OnRequest} onRequest
 */
function serveWebSocket(webSocket, socket, onRequest) {
  const backpressure = new WebSocketBackpressure(webSocket, socket);
  const connection = {
    send(/** @type {Buffer} */ message) {
      webSocket.send(message, asBytes);
      return backpressure.hasRoom;
    },
    drained: () => backpressure.drained(),
    unreadBytes: () => webSocket.bufferedAmount,
    pause: () => webSocket.pause(),
    resume: () => webSocket.resume(),
  };
  const requests = new SerializedRequests(connection, onRequest);
  webSocket.on('error', () => webSocket.terminate());
  webSocket.on('message', (request) => requests.take(/** @type {Buffer} */ (request)));
}

const asBytes = {binary: true};

await runServerScript(import.meta.url, websocket, serve);
