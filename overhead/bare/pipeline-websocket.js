/** The bare loop for a pipeline of `src/websocket-client.js`: the ws library, one connection, replies in the order of the requests. */
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {WebSocket} from 'ws';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples, window] = ['PAYLOAD_BYTES', 'WARMUP', 'SAMPLES', 'WINDOW'].map((name) =>
  Number(process.env[`PB_${name}`]),
);
const payloads = Array.from({length: window}, () => randomBytes(bytes));
const webSocket = new WebSocket(`ws://${host}:${port}/`, {perMessageDeflate: false});
await once(webSocket, 'open');
/** @type {(reply: Buffer) => void} */
let onReply;
webSocket.on('message', (reply) => onReply(/** @type {Buffer} */ (reply)));

/** @param {number} count @returns {Promise<void>} */
function exchange(count) {
  return new Promise((resolve) => {
    let sent = 0;
    let received = 0;
    const next = () => {
      if (sent === count) return;
      webSocket.send(payloads[sent % window]);
      sent += 1;
    };
    onReply = (reply) => {
      if (reply.length !== bytes) throw new Error('The length of a reply differs from that of its request.');
      received += 1;
      if (received === count) resolve();
      else next();
    };
    for (let slot = 0; slot < window; slot += 1) next();
  });
}

await exchange(warmUp);
const begin = performance.now();
await exchange(samples);
const ms = performance.now() - begin;
webSocket.terminate();
console.log(JSON.stringify({messagesPerSecond: (samples * 1000) / ms}));
