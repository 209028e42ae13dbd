/** The bare loop for the client of AMQP 1.0: only its library, a reply queue, and numbers as correlation ids. */
import {randomBytes, randomUUID} from 'node:crypto';
import {connect} from 'amqplib';
import rhea from 'rhea';

const {PB_RABBITMQ_HOST: host = 'localhost', PB_RABBITMQ_PORT: port = '5672'} = process.env;
const {PB_RABBITMQ_USERNAME: username = 'guest', PB_RABBITMQ_PASSWORD: password = 'guest'} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

// RabbitMQ 3 does not declare durable queues by AMQP 1.0.
const declaring = await connect({hostname: host, port: Number(port), username, password});
const channel = await declaring.createChannel();
const replyTo = `queue-perf-battle-amqp1-replies-${randomUUID()}`;
await channel.assertQueue(replyTo, {durable: true, expires: 60_000});
await channel.bindQueue(replyTo, 'exchange-perf-battle-amqp1-replies', replyTo);

const connection = rhea.connect({
  ...{host, port: Number(port), username, password, reconnect: false},
  ...{hostname: 'vhost:/', tcp_no_delay: true, max_frame_size: 128 * 1024},
});
const receiver = connection.open_receiver({
  ...{source: `/amq/queue/${replyTo}`, credit_window: 100, autoaccept: false},
});
const sender = connection.open_sender({
  target: '/exchange/exchange-perf-battle-amqp1-requests/request',
});
/** @type {Map<number, (reply: Buffer) => void>} */
const waiting = new Map();
receiver.on('message', ({message, delivery}) => {
  const number = Number(message?.correlation_id);
  waiting.get(number)?.(message?.body.content);
  waiting.delete(number);
  delivery?.accept();
});
await new Promise((resolve) => sender.once('sendable', resolve));

let sent = 0;
/** Resolves after the reply and the outcome. @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve) => {
    sent += 1;
    /** @type {Buffer | null} */
    let reply = null;
    let isAccepted = false;
    waiting.set(sent, (content) => {
      reply = content;
      if (isAccepted) resolve(content);
    });
    const properties = {correlation_id: sent, reply_to: replyTo, durable: false};
    const delivery = sender.send({...properties, body: rhea.message.data_section(payload)});
    /** @type {any} */ (delivery).onAccepted = () => {
      isAccepted = true;
      if (reply) resolve(reply);
    };
  });
sender.on('accepted', ({delivery}) => /** @type {any} */ (delivery).onAccepted());

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
await channel.deleteQueue(replyTo);
await declaring.close();
connection.close();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
