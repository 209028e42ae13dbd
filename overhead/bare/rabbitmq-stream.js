/** The bare loop for `perf-battle call rabbitmq-stream`: only its library, a stream of replies, and numbers as correlation ids. */
import {randomBytes} from 'node:crypto';
import {connect, Offset} from 'rabbitmq-stream-js-client';
import {Connection} from 'rabbitmq-stream-js-client/dist/connection.js';

const {PB_RABBITMQ_HOST: hostname = 'localhost', PB_RABBITMQ_STREAM_PORT: port = '5552'} = process.env;
const {PB_RABBITMQ_USERNAME: username = 'guest', PB_RABBITMQ_PASSWORD: password = 'guest'} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

// RabbitMQ before 3.11 does not know this exchange, and ends the connection.
/** @type {any} */ (Connection.prototype).exchangeCommandVersions = async () => {};

const frameMax = 64 * 1024 ** 2;
const client = await connect({
  ...{hostname, port: Number(port), username, password, vhost: '/', frameMax},
  addressResolver: {enabled: true, endpoint: {host: hostname, port: Number(port)}},
});
const replies = `perf-battle-bare-${process.pid}`;
await client.createStream({stream: replies, arguments: {'max-age': '60s'}});
const publisher = await client.declarePublisher({stream: 'queue-perf-battle-stream-requests'});

/** @type {Map<number, (reply: Buffer) => void>} */
const replied = new Map();
/** @type {Map<number, () => void>} */
const confirmed = new Map();
await client.declareConsumer({stream: replies, offset: Offset.next()}, ({content, messageProperties}) => {
  const number = Number(messageProperties?.correlationId);
  replied.get(number)?.(content);
  replied.delete(number);
});
publisher.on('publish_confirm', (_code, ids) => {
  for (const id of ids) {
    confirmed.get(Number(id))?.();
    confirmed.delete(Number(id));
  }
});

let sent = 0;
/** Resolves after the reply and the confirm. @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve) => {
    sent += 1;
    const number = sent;
    /** @type {Buffer | null} */
    let reply = null;
    let isConfirmed = false;
    replied.set(number, (content) => {
      reply = content;
      if (isConfirmed) resolve(content);
    });
    confirmed.set(number, () => {
      isConfirmed = true;
      if (reply) resolve(reply);
    });
    publisher.send(payload, {messageProperties: {correlationId: String(number), replyTo: replies}});
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
// The library sometimes never finishes the deletion of a stream. The private broker of the bench ends with its streams.
process.exit();
