/** The bare loop for `perf-battle call http2`: only one session of node:http2 with the same windows, and a stream for each request. */
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {connect} from 'node:http2';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

// The library itself disables Nagle's algorithm.
const windowBytes = 1024 ** 2;
const session = connect(`http://${host}:${port}`, {
  settings: {enablePush: false, initialWindowSize: windowBytes},
});
await once(session, 'remoteSettings');
session.setLocalWindowSize(windowBytes);
const headers = {
  ':method': 'POST',
  ':path': '/',
  'content-type': 'application/octet-stream',
  'content-length': bytes,
};

/** @param {Buffer} payload @returns {Promise<Buffer>} */
const post = (payload) =>
  new Promise((resolve, reject) => {
    const stream = session.request(headers);
    /** @type {Buffer[]} */
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.end(payload);
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await post(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
session.destroy();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
