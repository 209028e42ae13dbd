import {createServer} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {listen} from '../../net/listen.js';
import {serverCredentials} from '../../net/tls.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {SerializedRequests} from '../serialized-requests.js';
import {loadWs, maskingInForce, WebSocketBackpressure} from './library.js';

/**
 * @import {OnRequest, ServeSettings, Server} from '../transport.js'
 * @import {WebSocketSettings} from './index.js'
 * @import {Socket} from 'node:net'
 * @import * as ws from 'ws'
 */

/** @type {typeof ws} */
const {WebSocketServer} = loadWs();

/** @param {ServeSettings & WebSocketSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
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

/** @param {ws.WebSocket} webSocket @param {Socket} socket @param {OnRequest} onRequest */
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
