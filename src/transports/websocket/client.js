import {RunError} from '../../errors.js';
import {splitAddress} from '../../net/address.js';
import {probeTls} from '../../net/probe.js';
import {clientTrust, describeTls} from '../../net/tls.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {PendingReplies, promised} from '../pending-replies.js';
import {loadWs, maskingInForce, WebSocketBackpressure} from './library.js';

/**
 * @import {Client, ConnectGivenSettings, ConnectSettings} from '../transport.js'
 * @import {WebSocketSettings} from './index.js'
 * @import {Socket} from 'node:net'
 * @import {TLSSocket} from 'node:tls'
 * @import * as ws from 'ws'
 */

/** @type {typeof ws} */
const {WebSocket} = loadWs();

/** @param {ConnectSettings & WebSocketSettings} options @returns {Promise<Client>} */
export async function connect(options) {
  const trust = await clientTrust(options);
  if (trust) {
    const {host, port} = splitAddress(options.servers[0]);
    await probeTls(host, port, trust);
  }
  const {client, socket} = await openWebSocket(`${trust ? 'wss' : 'ws'}://${options.servers[0]}/`, {
    ...options,
    how: {perMessageDeflate: options.deflate, .../** @type {object} */ (trust)},
  });
  return {
    ...client,
    details: {masking: maskingInForce(), ...(trust && describeTls(/** @type {TLSSocket} */ (socket)))},
  };
}

/**
 * Connects to a server that the user names. Each message of the server answers the oldest unanswered request, unless a correlation matches
 * them by content.
 * @param {ConnectGivenSettings} options
 * @returns {Promise<Client>}
 */
export async function connectToGiven({url, headers, ca, correlation, noDelay}) {
  const {'sec-websocket-protocol': protocols, ...others} = headers;
  const {client} = await openWebSocket(url.href, {
    ...{correlation, noDelay, protocols: protocols?.split(/\s*,\s*/)},
    how: {perMessageDeflate: false, headers: others, ...(ca !== null && {ca: [ca]})},
  });
  return client;
}

/** @param {string} url @param {Pick<ConnectSettings, 'correlation' | 'noDelay'> & {protocols?: string[], how: ws.ClientOptions}} options */
async function openWebSocket(url, {correlation, noDelay, protocols = [], how}) {
  const webSocket = new WebSocket(url, protocols, {maxPayload: maxPayloadBytes, ...how});
  const opening = socketOf(webSocket);
  const pending = new PendingReplies('The WebSocket server closed the connection.', correlation);
  // Listeners are added before the upgrade, because the bytes after it may already cause an error.
  webSocket.on('message', (reply) => pending.take(/** @type {Buffer} */ (reply)));
  webSocket.on('error', (error) => pending.fail(errorOf(error)));
  webSocket.on('close', (code) => pending.fail(new Error(`close code ${code}`)));
  await opened(webSocket);
  const socket = await opening;
  socket.setNoDelay(noDelay);
  const backpressure = new WebSocketBackpressure(webSocket, socket);
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => {
    webSocket.send(payload);
    pending.add(payload, waiting);
  };
  const client = {
    ask,
    request: promised(ask),
    send(/** @type {Buffer} */ payload) {
      webSocket.send(payload);
      return backpressure.hasRoom;
    },
    drained: () => backpressure.drained(),
    flushed: () => backpressure.flushed(),
    closed: pending.closed,
    async close() {
      pending.finish();
      webSocket.terminate();
    },
  };
  return {client, socket};
}

/**
 * Returns the socket of a WebSocket from the response to the upgrade, because ws does not expose it.
 * @param {ws.WebSocket} webSocket
 * @returns {Promise<Socket>}
 */
function socketOf(webSocket) {
  return new Promise((resolve) => {
    webSocket.once('upgrade', (response) => resolve(response.socket));
  });
}

/** @param {Error & {code?: string}} error of ws */
function errorOf(error) {
  if (error.code !== 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return error;
  return new RunError(error.message, {code: 'PB_FRAME_TOO_LONG', cause: error});
}

/** @param {ws.WebSocket} webSocket @returns {Promise<void>} */
function opened(webSocket) {
  return new Promise((resolve, reject) => {
    webSocket.once('error', reject);
    webSocket.once('open', () => {
      webSocket.removeListener('error', reject);
      resolve();
    });
  });
}
