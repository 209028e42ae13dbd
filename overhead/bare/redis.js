/** The bare loop for `perf-battle call redis`: only the library, a list of requests, and a list of replies that is popped on a separate connection. */
import {randomBytes} from 'node:crypto';
import {Redis} from 'ioredis';

const {PB_REDIS_HOST: host = '', PB_REDIS_PORT: port} = process.env;
const {PB_REDIS_USERNAME: username = '', PB_REDIS_PASSWORD: password = ''} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

// The library itself disables Nagle's algorithm.
const options = {host, port: Number(port), username, password, protocol: /** @type {const} */ (2)};
const writer = new Redis(options);
const reader = new Redis(options);
const replyTo = `perf-battle:replies:bare-${process.pid}`;
/** @type {Map<string, (reply: Buffer) => void>} */
const waiting = new Map();

async function listen() {
  let next = reader.blmpopBuffer(0, 1, replyTo, 'RIGHT', 'COUNT', 32);
  for (;;) {
    const [, elements] = (await next) ?? [null, []];
    next = reader.blmpopBuffer(0, 1, replyTo, 'RIGHT', 'COUNT', 32);
    for (let index = 0; index < elements.length; index += 2) {
      const number = elements[index].toString('latin1');
      waiting.get(number)?.(elements[index + 1]);
      waiting.delete(number);
    }
  }
}
listen().catch(() => {});

let sent = 0;
/** @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve) => {
    sent += 1;
    const number = String(sent);
    waiting.set(number, resolve);
    writer.lpush('perf-battle:requests', `${number}:${replyTo}`, payload);
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
for (const redis of [writer, reader]) redis.disconnect();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
