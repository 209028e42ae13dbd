/**
 * Like `pipeline-websocket.js`, plus the work of every pipeline that measures latencies and does not rely on the order of replies: it numbers
 * each request, matches the reply by the number, and times it.
 */
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

/** @param {number} count @returns {Promise<Float64Array>} latencies in ms */
function exchange(count) {
  const latencies = new Float64Array(count);
  /** @type {Map<number, {slot: number, sentAt: number}>} */
  const waiting = new Map();
  return new Promise((resolve) => {
    let sent = 0;
    let received = 0;
    const send = (/** @type {number} */ slot, /** @type {number} */ now) => {
      if (sent === count) return;
      const payload = payloads[slot];
      payload.writeUInt32BE(sent, 0);
      waiting.set(sent, {slot, sentAt: now});
      sent += 1;
      webSocket.send(payload);
    };
    onReply = (reply) => {
      const now = performance.now();
      if (reply.length !== bytes) throw new Error('The length of a reply differs from that of its request.');
      const number = reply.readUInt32BE(0);
      const request = waiting.get(number);
      if (!request) throw new Error('A reply matches no request.');
      waiting.delete(number);
      send(request.slot, now);
      latencies[received] = now - request.sentAt;
      received += 1;
      if (received === count) resolve(latencies);
    };
    for (let slot = 0; slot < window; slot += 1) send(slot, performance.now());
  });
}

await exchange(warmUp);
const begin = performance.now();
await exchange(samples);
const ms = performance.now() - begin;
webSocket.terminate();
console.log(JSON.stringify({messagesPerSecond: (samples * 1000) / ms}));
