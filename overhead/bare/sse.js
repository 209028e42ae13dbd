/** The bare loop for `perf-battle call sse`: only a stream of events by node:http, and a POST by undici for each request. */
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {get} from 'node:http';
import {Pool} from 'undici';

const {PB_SERVER_HOST: host, PB_SERVER_PORT: port} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const events = get({host, port, path: '/', agent: false, headers: {accept: 'text/event-stream'}});
const [stream] = await once(events, 'response');
/** @type {Buffer[]} */
let chunks = [];
/** @type {(event: Buffer) => void} */
let onEvent = () => {};
stream.on('data', (/** @type {Buffer} */ chunk) => {
  chunks.push(chunk);
  // One request is in flight, so no other event follows.
  if (chunk.at(-1) !== 10 || (chunk.length > 1 && chunk.at(-2) !== 10)) return;
  const event = chunks.length === 1 ? chunk : Buffer.concat(chunks);
  chunks = [];
  onEvent(event);
});
const dataOf = (/** @type {Buffer} */ event) =>
  event.toString('latin1', event.indexOf('data: ') + 6, event.length - 2);
/** @returns {Promise<Buffer>} */
const next = () =>
  new Promise((resolve) => {
    onEvent = resolve;
  });
const path = dataOf(await next());

const pool = new Pool(`http://${host}:${port}`, {connections: 1, headersTimeout: 0, bodyTimeout: 0});
const headers = ['content-type', 'application/octet-stream'];
/** Ignores the response to a POST. */
const ignore = {onRequestStart() {}, onResponseStart() {}, onResponseData() {}, onResponseEnd() {}};
const onResponseError = (/** @type {unknown} */ _, /** @type {Error} */ error) => {
  throw error;
};

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const event = next();
  pool.dispatch(
    {method: 'POST', path: `${path}&id=${index + warmUp}`, headers, body: payload},
    {...ignore, onResponseError},
  );
  const reply = Buffer.from(dataOf(await event), 'base64');
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
events.destroy();
// The response to the last POST may still be on its way: its event can come first.
await pool.close();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
