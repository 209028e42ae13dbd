/** The bare loop for `perf-battle call amqp1 --amqp1-broker artemis`: only its library, a reply queue, and numbers as correlation ids. */
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import rhea from 'rhea';

const {PB_ARTEMIS_HOST: host = 'localhost', PB_ARTEMIS_PORT: port = '61616'} = process.env;
const {PB_ARTEMIS_USERNAME: username = '', PB_ARTEMIS_PASSWORD: password = ''} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const connection = rhea.connect({
  ...{host, port: Number(port), username, password, reconnect: false},
  ...{tcp_no_delay: true, max_frame_size: 128 * 1024},
});

// A link for questions of management, which create and delete the queue of replies.
const answers = connection.open_receiver({source: /** @type {any} */ ({dynamic: true})});
await once(answers, 'receiver_open');
const management = connection.open_sender({target: 'activemq.management'});
await once(management, 'sendable');
/** @param {string} operation @param {unknown[]} parameters */
async function manage(operation, parameters) {
  management.send({
    reply_to: String(answers.source.address),
    application_properties: {_AMQ_ResourceName: 'broker', _AMQ_OperationName: operation},
    body: JSON.stringify(parameters),
  });
  const [{message}] = await once(answers, 'message');
  if (!message.application_properties._AMQ_OperationSucceeded) throw new Error(message.body);
}

const replyTo = `perf-battle-replies-bare-${process.pid}`;
const queue = {name: replyTo, address: replyTo, 'routing-type': 'ANYCAST', durable: true};
await manage('createQueue', [JSON.stringify(queue), false]);

const receiver = connection.open_receiver({
  ...{source: {address: replyTo, capabilities: ['queue']}, credit_window: 100, autoaccept: false},
});
const sender = connection.open_sender({
  target: {address: 'perf-battle-requests', capabilities: ['queue']},
});
/** @type {Map<number, (reply: Buffer) => void>} */
const waiting = new Map();
receiver.on('message', ({message, delivery}) => {
  const number = Number(message?.correlation_id);
  waiting.get(number)?.(message?.body.content);
  waiting.delete(number);
  delivery?.accept();
});
await once(sender, 'sendable');

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
receiver.close();
await once(receiver, 'receiver_close');
await manage('destroyQueue', [replyTo, false, true]);
connection.close();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
