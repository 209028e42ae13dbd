/** The bare loop for the client of MQTT: only its library, one subscription for replies, and a number as correlation data. */
import {randomBytes} from 'node:crypto';
import {createConnection} from 'node:net';
import {MqttClient} from 'mqtt';

const {env} = process;
const isOverRabbitmq = env.PB_MQTT_BROKER === 'rabbitmq';
const [host, port, username = '', password = ''] = isOverRabbitmq
  ? [env.PB_RABBITMQ_HOST, env.PB_RABBITMQ_MQTT_PORT, env.PB_RABBITMQ_USERNAME, env.PB_RABBITMQ_PASSWORD]
  : [env.PB_MOSQUITTO_HOST, env.PB_MOSQUITTO_PORT, env.PB_MOSQUITTO_USERNAME, env.PB_MOSQUITTO_PASSWORD];
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

// The library has no option for Nagle's algorithm.
const socket = createConnection({host, port: Number(port)}).setNoDelay();
const client = new MqttClient(() => /** @type {any} */ (socket), {
  ...{protocolVersion: 5, clientId: 'bare', username, password, reconnectPeriod: 0},
});
await new Promise((resolve) => client.once('connect', resolve));
const prefix = isOverRabbitmq ? 'queue-perf-battle' : 'perf-battle';
const replies = `${prefix}/replies/bare`;
/** @type {Map<number, (reply: Buffer) => void>} */
const waiting = new Map();
client.on('message', (_, payload, {properties}) => {
  const number = properties?.correlationData?.readUInt32BE() ?? 0;
  waiting.get(number)?.(payload);
  waiting.delete(number);
});
await client.subscribeAsync(replies, {qos: 1});

let sent = 0;
/** Resolves after the reply and the acknowledgement. @param {Buffer} payload @returns {Promise<Buffer>} */
const request = (payload) =>
  new Promise((resolve, reject) => {
    sent += 1;
    const number = sent;
    /** @type {Buffer | null} */
    let reply = null;
    let isAcknowledged = false;
    waiting.set(number, (content) => {
      reply = content;
      if (isAcknowledged) resolve(content);
    });
    const correlationData = Buffer.alloc(4);
    correlationData.writeUInt32BE(number);
    const properties = {responseTopic: replies, correlationData};
    client.publish(`${prefix}/requests`, payload, {qos: 1, properties}, (error) => {
      if (error) return reject(error);
      isAcknowledged = true;
      if (reply) resolve(reply);
    });
  });

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
await client.endAsync();
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
