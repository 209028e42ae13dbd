/** The bare loop for `src/http-client.js`: only node:http and one keep-alive connection. */
import {randomBytes} from 'node:crypto';
import {Agent, request as sendRequest} from 'node:http';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const agent = new Agent({keepAlive: true, maxSockets: 1, noDelay: true});
const headers = {'content-type': 'application/octet-stream', 'content-length': bytes};

/** @param {Buffer} payload @returns {Promise<Buffer>} */
const post = (payload) =>
  new Promise((resolve, reject) => {
    const request = sendRequest({host, port, agent, method: 'POST', path: '/', headers}, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    });
    request.on('error', reject);
    request.end(payload);
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await post(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
agent.destroy();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
