/** The bare loop for `perf-battle call kafka`: only the library, a topic of requests, and a topic of replies that is read without a group. */
import {randomBytes} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {Admin, Consumer, Producer} from '@platformatic/kafka';

const {PB_KAFKA_HOST: host = '', PB_KAFKA_PORT: port} = process.env;
const {PB_KAFKA_USERNAME: username = '', PB_KAFKA_PASSWORD: password = ''} = process.env;
const [bytes, warmUp, samples] = ['PB_PAYLOAD_BYTES', 'PB_WARMUP', 'PB_SAMPLES'].map((name) =>
  Number(process.env[name]),
);
const payloads = Array.from({length: 16}, () => randomBytes(bytes));
const times = new Float64Array(samples);

const options = {
  clientId: 'bare',
  bootstrapBrokers: [{host, port: Number(port)}],
  sasl: {mechanism: /** @type {const} */ ('PLAIN'), username, password},
  metadataMaxAge: 300_000,
};
const replyTo = `perf-battle-replies-bare-${process.pid}`;
const admin = new Admin(options);
const configs = [{name: 'max.message.bytes', value: String(64 * 1024 ** 2)}];
await admin.createTopics({topics: [replyTo], partitions: 1, configs});
await sleep(500);
const {topics} = await admin.metadata({topics: [replyTo]});
const topicId = topics.get(replyTo)?.id ?? '';
const node = topics.get(replyTo)?.partitions[0].leader ?? 0;

const consumer = new Consumer({...options, groupId: replyTo});
const producer = new Producer(options);
/** @type {Map<string, (reply: Buffer) => void>} */
const waiting = new Map();
let isDone = false;

/** @param {bigint} fetchOffset */
function listen(fetchOffset) {
  const partition = {
    ...{partition: 0, fetchOffset, partitionMaxBytes: 10 * 1024 ** 2},
    ...{currentLeaderEpoch: -1, lastFetchedEpoch: -1},
  };
  const topic = {topicId, partitions: [partition]};
  consumer.fetch({node, topics: [topic], isolationLevel: 0}, (error, response) => {
    if (error || !response) {
      if (!isDone) throw error ?? new Error('The answer is empty.');
      return;
    }
    const batches = response.responses.flatMap(({partitions}) =>
      partitions.flatMap(({records}) => records ?? []),
    );
    const last = batches.at(-1);
    listen(last ? last.firstOffset + BigInt(last.lastOffsetDelta) + 1n : fetchOffset);
    for (const {records} of batches) {
      for (const {headers, value} of records) {
        const number = String(headers[0][1]);
        waiting.get(number)?.(value ?? Buffer.alloc(0));
        waiting.delete(number);
      }
    }
  });
}
listen(0n);

const names = {number: Buffer.from('kafka_correlationId'), topic: Buffer.from('kafka_replyTopic')};
const replyTopic = Buffer.from(replyTo);
let sent = 0;
/** @param {Buffer} value @returns {Promise<Buffer>} */
const request = async (value) => {
  sent += 1;
  const number = String(sent);
  const headers = new Map([
    [names.number, Buffer.from(number)],
    [names.topic, replyTopic],
  ]);
  const reply = new Promise((resolve) => waiting.set(number, resolve));
  await producer.send({messages: [{topic: 'perf-battle-requests', partition: 0, value, headers}], acks: -1});
  return await reply;
};

for (let index = -warmUp; index < samples; index += 1) {
  const payload = payloads[index & 15];
  const before = performance.now();
  const reply = await request(payload);
  const after = performance.now();
  if (index >= 0) times[index] = after - before;
  if (!payload.equals(reply)) throw new Error('A reply differs from its request.');
}
isDone = true;
await admin.deleteTopics({topics: [replyTo]});
console.log(JSON.stringify({p50Ms: times.sort()[samples >> 1]}));
process.exit();
