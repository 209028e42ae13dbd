/** Sends requests by autocannon, with one connection for each in flight. Prints their mean and their rate. */
import {randomBytes} from 'node:crypto';
import autocannon from 'autocannon';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples, connections] = ['PAYLOAD_BYTES', 'WARMUP', 'SAMPLES', 'WINDOW'].map((name) =>
  Number(process.env[`PB_${name}`]),
);

await send(warmUp);
const {meanMs, messagesPerSecond} = await send(samples);
console.log(JSON.stringify({meanMs, messagesPerSecond}));

/**
 * @param {number} amount
 * @returns {Promise<{meanMs: number, messagesPerSecond: number}>}
 */
function send(amount) {
  return new Promise((resolve, reject) => {
    let count = 0;
    let summedMs = 0;
    const request = {
      ...{url: `http://${host}:${port}/`, method: /** @type {const} */ ('POST'), body: randomBytes(bytes)},
      ...{headers: {'content-type': 'application/octet-stream'}, connections, amount},
    };
    const begin = performance.now();
    let last = begin;
    const run = autocannon(request, (error, {errors, non2xx}) => {
      if (error || errors + non2xx > 0 || count < amount)
        reject(
          new Error(`autocannon had ${count} of ${amount} replies, ${errors} errors, ${non2xx} refusals.`),
        );
      else resolve({meanMs: summedMs / count, messagesPerSecond: (count * 1000) / (last - begin)});
    });
    run.on('response', (_client, _status, _bytes, responseMs) => {
      count += 1;
      summedMs += responseMs;
      last = performance.now();
    });
  });
}
