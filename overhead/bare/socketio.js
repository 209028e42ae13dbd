/** The bare loop for `perf-battle call socketio`: only one connection of socket.io-client, and an event with an acknowledgement for each request. */
import {randomBytes} from 'node:crypto';
import {io} from 'socket.io-client';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const socket = io(`http://${host}:${port}`, {transports: ['websocket'], reconnection: false});
await new Promise((resolve, reject) => {
  socket.once('connect', () => resolve(null));
  socket.once('connect_error', reject);
});

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await new Promise((resolve) => socket.emit('ask', payload, resolve));
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
socket.disconnect();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
