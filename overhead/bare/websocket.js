/** The bare loop for `src/websocket-client.js`: only the ws library and one connection. */
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {WebSocket} from 'ws';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

// The library itself disables Nagle's algorithm.
const webSocket = new WebSocket(`ws://${host}:${port}/`, {perMessageDeflate: false});
await once(webSocket, 'open');
/** @type {(reply: Buffer) => void} */
let onReply;
webSocket.on('message', (reply) => onReply(/** @type {Buffer} */ (reply)));

/** @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve) => {
    onReply = resolve;
    webSocket.send(payload);
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
webSocket.terminate();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
