/** The bare loop for `src/rabbitmq-client.js`: only amqplib, a reply queue, and correlation ids. */
import {randomBytes, randomUUID} from 'node:crypto';
import {connect} from 'amqplib';

/** @import {ConsumeMessage} from 'amqplib' */

const {PB_RABBITMQ_HOST: hostname = 'localhost', PB_RABBITMQ_PORT: port = '5672'} = process.env;
const {PB_RABBITMQ_USERNAME: username = 'guest', PB_RABBITMQ_PASSWORD: password = 'guest'} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const broker = {hostname, port: Number(port), username, password, heartbeat: 10};
const connection = await connect(broker, {noDelay: true});
const channel = await connection.createChannel();
const replyTo = `queue-perf-battle-replies-${randomUUID()}`;
const classic = {'x-queue-type': 'classic'};
await channel.assertQueue(replyTo, {durable: true, expires: 60_000, arguments: classic});
await channel.bindQueue(replyTo, 'exchange-perf-battle-replies', replyTo);
await channel.prefetch(100);
/** @type {Map<string, (reply: Buffer) => void>} */
const waiting = new Map();
channel.on('return', () => console.error('The broker returned a request: no server consumes it.'));
const settle = (/** @type {ConsumeMessage | null} */ message) => {
  const id = message?.properties.correlationId;
  if (message) waiting.get(id)?.(message.content);
  waiting.delete(id);
};
await channel.consume(replyTo, settle, {noAck: true});

let sent = 0;
/** @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve) => {
    sent += 1;
    const correlationId = String(sent);
    waiting.set(correlationId, resolve);
    const properties = {correlationId, replyTo, deliveryMode: 1, mandatory: true};
    channel.publish('exchange-perf-battle-requests', 'request', payload, properties);
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
await channel.deleteQueue(replyTo);
await connection.close();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
