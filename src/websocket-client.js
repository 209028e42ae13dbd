import {WebSocket} from 'ws';
import {largestPayloadBytes} from './payload/limits.js';
import {runClientScript} from './roles/client.js';
import {PendingReplies} from './transports/pending-replies.js';
import {websocket} from './transports/websocket.js';
import {maskingInForce} from './transports/websocket-masking.js';

/**
 * @param {import('./transports/index.js').ClientOptions} options servers, noDelay, deflate
 * @returns {Promise<import('./transports/index.js').Client>}
 */
export async function connect(options) {
  const webSocket = new WebSocket(`ws://${options.servers[0]}/`, {
    perMessageDeflate: options.deflate,
    maxPayload: largestPayloadBytes,
  });
  webSocket.once('upgrade', (response) => setImmediate(() => response.socket.setNoDelay(options.noDelay)));
  await opened(webSocket);
  const pending = new PendingReplies('The WebSocket server closed the connection.');
  webSocket.on('message', (reply) => pending.resolveNext(/** @type {Buffer} */ (reply)));
  webSocket.on('error', (error) => pending.fail(error));
  webSocket.on('close', (code) => pending.fail(new Error(`close code ${code}`)));
  return {
    request(payload) {
      webSocket.send(payload);
      return pending.add();
    },
    details: {masking: maskingInForce()},
    closed: pending.closed,
    async close() {
      pending.finish();
      webSocket.terminate();
    },
  };
}

/** @param {WebSocket} webSocket @returns {Promise<void>} */
function opened(webSocket) {
  return new Promise((resolve, reject) => {
    webSocket.once('error', reject);
    webSocket.once('open', () => {
      webSocket.removeListener('error', reject);
      resolve();
    });
  });
}

await runClientScript(import.meta.url, websocket, connect);
