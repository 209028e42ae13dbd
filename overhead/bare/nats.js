/** The bare loop for `src/transports/nats/client.js`: only the NATS library, one subscription for replies, and a number in each reply subject. */
import {randomBytes} from 'node:crypto';
import {connect, createInbox} from '@nats-io/transport-node';

const {PB_NATS_HOST: host, PB_NATS_PORT: port} = process.env;
const {PB_NATS_USERNAME: user = '', PB_NATS_PASSWORD: pass = ''} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

// The library itself disables Nagle's algorithm.
const nats = await connect({servers: `${host}:${port}`, user, pass, reconnect: false});
const inbox = `${createInbox()}.`;
/** @type {Map<string, (reply: Uint8Array) => void>} */
const waiting = new Map();
nats.subscribe(`${inbox}*`, {
  callback: (error, message) => {
    if (error) throw error;
    const number = message.subject.slice(inbox.length);
    waiting.get(number)?.(message.data);
    waiting.delete(number);
  },
});

let sent = 0;
/** @param {Buffer} payload @returns {Promise<Uint8Array>} */
const request = (payload) =>
  new Promise((resolve) => {
    sent += 1;
    const number = String(sent);
    waiting.set(number, resolve);
    nats.publish('perf-battle.requests', payload, {reply: inbox + number});
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
await nats.close();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
