/** The bare loop for the client of JetStream: only its library, one subscription for replies, and a header with the subject of each reply. */
import {randomBytes} from 'node:crypto';
import {jetstream} from '@nats-io/jetstream';
import {connect, createInbox, headers} from '@nats-io/transport-node';

const {PB_NATS_HOST: host, PB_NATS_PORT: port} = process.env;
const {PB_NATS_USERNAME: user = '', PB_NATS_PASSWORD: pass = ''} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

// The library itself disables Nagle's algorithm.
const servers = `${host}:${port}`;
const nats = await connect({servers, user, pass, reconnect: false, noAsyncTraces: true});
const js = jetstream(nats);
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
/** Resolves after the reply and the acknowledgement. @param {Buffer} payload @returns {Promise<Uint8Array>} */
const request = async (payload) => {
  sent += 1;
  const number = String(sent);
  /** @type {Promise<Uint8Array>} */
  const replied = new Promise((resolve) => {
    waiting.set(number, resolve);
  });
  const fields = headers();
  fields.set('Reply-To', inbox + number);
  await js.publish('perf-battle.jetstream.file.requests', payload, {headers: fields});
  return await replied;
};

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
