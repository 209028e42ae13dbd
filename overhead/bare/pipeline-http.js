/** The bare loop for a pipeline of `src/http-client.js`: node:http, with one keep-alive connection for each request in flight. */
import {randomBytes} from 'node:crypto';
import {Agent, request as sendRequest} from 'node:http';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples, window] = ['PAYLOAD_BYTES', 'WARMUP', 'SAMPLES', 'WINDOW'].map((name) =>
  Number(process.env[`PB_${name}`]),
);
const payloads = Array.from({length: window}, () => randomBytes(bytes));
const agent = new Agent({keepAlive: true, maxSockets: window, maxFreeSockets: window, noDelay: true});
const headers = {'content-type': 'application/octet-stream', 'content-length': bytes};

/** @param {Buffer} payload @param {(reply: Buffer) => void} onReply */
function post(payload, onReply) {
  const request = sendRequest({host, port, agent, method: 'POST', path: '/', headers}, (response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => onReply(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  });
  request.end(payload);
}

/** @param {number} count @returns {Promise<void>} */
function exchange(count) {
  return new Promise((resolve) => {
    let sent = 0;
    let received = 0;
    const next = (/** @type {Buffer} */ payload) => {
      if (sent === count) return;
      sent += 1;
      post(payload, (reply) => {
        if (reply.length !== bytes)
          throw new Error('The length of a reply differs from that of its request.');
        received += 1;
        if (received === count) resolve();
        else next(payload);
      });
    };
    for (const payload of payloads) next(payload);
  });
}

await exchange(warmUp);
const begin = performance.now();
await exchange(samples);
const ms = performance.now() - begin;
agent.destroy();
console.log(JSON.stringify({messagesPerSecond: (samples * 1000) / ms}));
