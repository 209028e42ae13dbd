/** The bare loop for `src/tcp-client.js` and `perf-battle call unix`: only node:net, and frames of a 4-byte length and the payload. */
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {connect} from 'node:net';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const header = Buffer.alloc(4);
header.writeUInt32BE(bytes);
const times = new Float64Array(samples);

// The address unix:1 names a Unix socket without a file.
const place =
  host === 'unix' ? {path: `\0perf-battle-${port}`.padEnd(108, '\0')} : {host, port: Number(port)};
const socket = connect({...place, noDelay: true});
await once(socket, 'connect');
/** @type {Buffer[]} */
let chunks = [];
let received = 0;
/** @type {(frame: Buffer) => void} */
let onFrame;
socket.on('data', (chunk) => {
  chunks.push(chunk);
  received += chunk.length;
  if (received < header.length + bytes) return;
  onFrame(chunks.length === 1 ? chunk : Buffer.concat(chunks));
  chunks = [];
  received = 0;
});

/** @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve) => {
    onFrame = resolve;
    socket.cork();
    socket.write(header);
    socket.write(payload);
    socket.uncork();
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const frame = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(frame.subarray(4))) throw new Error('A reply differs from its request.');
}
socket.destroy();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
