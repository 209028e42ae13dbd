/**
 * The bare loop for a stream through RabbitMQ: amqplib in two processes. One publishes as fast as the channel accepts messages, the other
 * consumes and counts them. Without an argument, the process is the consumer, which starts the publisher.
 */
import {spawn} from 'node:child_process';
import {randomBytes, randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {connect} from 'amqplib';

const {PB_RABBITMQ_HOST: hostname = 'localhost', PB_RABBITMQ_PORT: port = '5672'} = process.env;
const {PB_RABBITMQ_USERNAME: username = 'guest', PB_RABBITMQ_PASSWORD: password = 'guest'} = process.env;
const [bytes, warmUp, samples] = ['PAYLOAD_BYTES', 'WARMUP', 'SAMPLES'].map((name) =>
  Number(process.env[`PB_${name}`]),
);
const broker = {hostname, port: Number(port), username, password, heartbeat: 10};
const connection = await connect(broker, {noDelay: true});
const channel = await connection.createChannel();

if (process.argv[2]) await publish(process.argv[2]);
else await consume(`bare-${randomUUID()}`);
await connection.close();

/** @param {string} name of exchange and queue */
async function publish(name) {
  const payloads = Array.from({length: 16}, () => randomBytes(bytes));
  for (const count of [warmUp, samples]) {
    for (let index = 0; index < count; index += 1) {
      if (!channel.publish(name, 'request', payloads[index & 15], {deliveryMode: 1}))
        await once(channel, 'drain');
    }
    await channel.checkQueue(name);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** @param {string} name */
async function consume(name) {
  await channel.assertExchange(name, 'direct', {durable: true});
  await channel.assertQueue(name, {durable: true, arguments: {'x-queue-type': 'classic'}});
  await channel.bindQueue(name, name, 'request');
  await channel.prefetch(100);
  let count = 0;
  let first = 0;
  /** @type {Promise<number>} */
  const last = new Promise((resolve) => {
    const take = () => {
      count += 1;
      if (count === warmUp + 1) first = performance.now();
      if (count === warmUp + samples) resolve(performance.now());
    };
    channel.consume(name, take, {noAck: true});
  });
  const publisher = spawn(process.execPath, [process.argv[1], name], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(publisher, 'exit');
  const ms = (await last) - first;
  await exited;
  await channel.deleteQueue(name);
  await channel.deleteExchange(name);
  console.log(JSON.stringify({messagesPerSecond: ((samples - 1) * 1000) / ms}));
}
