import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {Admin} from '@platformatic/kafka';
import {connect} from 'amqplib';
import {Redis} from 'ioredis';
import {sum} from 'simple-statistics';
import {artemis} from '../src/brokers/artemis/index.js';
import {findProgram} from '../src/brokers/programs.js';
import {scaled} from './pairs.js';
import {fetchGoProgram, fetchJars, numberIn, payloadBytes, withPayloadFile} from './tools.js';

/** @import {Bench} from './part.js' */

/** The load generators of brokers. Each function returns messages per second. */

const run = promisify(execFile);

/** @param {Record<string, string>} settings @param {Bench} bench */
export async function redisBenchmark(
  {PB_REDIS_HOST, PB_REDIS_PORT, PB_REDIS_USERNAME, PB_REDIS_PASSWORD},
  bench,
) {
  const login = ['--user', PB_REDIS_USERNAME, '-a', PB_REDIS_PASSWORD];
  const address = ['-h', PB_REDIS_HOST, '-p', PB_REDIS_PORT, ...login];
  const load = ['-c', '1', '-P', '64', '-n', String(scaled(bench, 100_000)), '-d', String(payloadBytes)];
  const client = new Redis({
    ...{host: PB_REDIS_HOST, port: Number(PB_REDIS_PORT)},
    ...{username: PB_REDIS_USERNAME, password: PB_REDIS_PASSWORD},
  });
  try {
    const {stdout} = await run('redis-benchmark', [...address, ...load, '-t', 'rpush', '--csv'], bench);
    return numberIn(stdout, /^"RPUSH","([\d.]+)"/m);
  } finally {
    await client.del('mylist');
    client.disconnect();
  }
}

/** @param {Record<string, string>} settings @param {Bench} bench */
export async function producerPerformance(
  {PB_KAFKA_HOST, PB_KAFKA_PORT, PB_KAFKA_USERNAME, PB_KAFKA_PASSWORD},
  bench,
) {
  const jars = await fetchJars(
    {group: 'org.apache.kafka', artifact: 'kafka-tools', version: '4.4.0'},
    bench.signal,
  );
  const admin = new Admin({
    clientId: 'bench',
    bootstrapBrokers: [{host: PB_KAFKA_HOST, port: Number(PB_KAFKA_PORT)}],
    sasl: {mechanism: 'PLAIN', username: PB_KAFKA_USERNAME, password: PB_KAFKA_PASSWORD},
  });
  const topic = `bench-${process.hrtime.bigint()}`;
  await admin.createTopics({topics: [topic], partitions: 1});
  try {
    const login = `org.apache.kafka.common.security.plain.PlainLoginModule required username="${PB_KAFKA_USERNAME}" password="${PB_KAFKA_PASSWORD}";`;
    const properties = `bootstrap.servers=${PB_KAFKA_HOST}:${PB_KAFKA_PORT}
security.protocol=SASL_PLAINTEXT
sasl.mechanism=PLAIN
sasl.jaas.config=${login}
acks=all
linger.ms=0
`;
    return await withPayloadFile(Buffer.from(properties), async (file) => {
      const warmUp = scaled(bench, 100_000);
      const count = [
        '--num-records',
        String(warmUp + scaled(bench, 200_000)),
        '--warmup-records',
        String(warmUp),
      ];
      const load = ['--record-size', String(payloadBytes), '--throughput', '-1', ...count];
      const words = ['--topic', topic, '--command-config', file, ...load];
      const {stdout} = await run(
        'java',
        ['-cp', `${jars}/*`, 'org.apache.kafka.tools.ProducerPerformance', ...words],
        bench,
      );
      // The results of the warm-up are on an earlier line.
      const lines = stdout.split('\n').filter((line) => /99\.9th\.$/.test(line));
      return numberIn(lines.at(-1) ?? stdout, /records sent, ([\d.]+) records\/sec/);
    });
  } finally {
    await admin.deleteTopics({topics: [topic]});
    await admin.close();
  }
}

/** @param {Record<string, string>} settings @param {Bench} bench */
export async function natsBench({PB_NATS_HOST, PB_NATS_PORT, PB_NATS_USERNAME, PB_NATS_PASSWORD}, bench) {
  const program = await fetchGoProgram(
    {program: 'github.com/nats-io/nats.go/examples/nats-bench', version: 'v1.37.0'},
    bench.signal,
  );
  const login = [PB_NATS_USERNAME, PB_NATS_PASSWORD].map(encodeURIComponent).join(':');
  const server = ['-s', `nats://${login}@${PB_NATS_HOST}:${PB_NATS_PORT}`];
  const load = ['-np', '1', '-ns', '1', '-n', String(scaled(bench, 500_000)), '-ms', String(payloadBytes)];
  const {stdout, stderr} = await run(program, [...server, ...load, 'bench'], bench);
  return numberIn(stdout + stderr, /Sub stats: ([\d,]+) msgs\/sec/);
}

/**
 * @param {{storage: 'memory' | 'file', window: number}} work the tool waits until all messages of a window are acknowledged
 * @param {Record<string, string>} settings @param {Bench} bench
 */
export async function jetStreamBench(
  {storage, window},
  {PB_NATS_HOST, PB_NATS_PORT, PB_NATS_USERNAME, PB_NATS_PASSWORD},
  {signal, length},
) {
  const program = await fetchGoProgram(
    {program: 'github.com/nats-io/natscli/nats', version: 'v0.5.0'},
    signal,
  );
  const login = {NATS_USER: PB_NATS_USERNAME, NATS_PASSWORD: PB_NATS_PASSWORD};
  const env = {...process.env, NATS_URL: `nats://${PB_NATS_HOST}:${PB_NATS_PORT}`, ...login};
  const nats = (/** @type {string[]} */ ...words) => run(program, ['--no-context', ...words], {signal, env});
  const stream = `bench-${process.hrtime.bigint()}`;
  const created = ['--create', '--stream', stream, '--storage', storage, '--batch', String(window)];
  const load = ['--no-progress', '--size', String(payloadBytes), '--msgs', String(scaled({length}, 100_000))];
  try {
    const {stdout} = await nats('bench', 'js', 'pub', 'async', ...created, ...load, `${stream}-subject`);
    return numberIn(stdout, /publisher stats: ([\d,]+) msgs\/sec/);
  } finally {
    await nats('stream', 'rm', '-f', stream);
  }
}

/** The tool adds the time to each body. */
const timeBytes = 8;

/**
 * perfTest of RabbitMQ's Go client, which the module proxy of Go has.
 * @param {{window: number, batch: number}} work window: unconfirmed messages
 * @param {Record<string, string>} settings @param {Bench} bench
 */
export async function streamPerfTest({window, batch}, settings, {signal, length}) {
  const {PB_RABBITMQ_HOST: hostname, PB_RABBITMQ_PORT, PB_RABBITMQ_STREAM_PORT} = settings;
  const {PB_RABBITMQ_USERNAME: username, PB_RABBITMQ_PASSWORD: password} = settings;
  const program = await fetchGoProgram(
    {program: 'github.com/rabbitmq/rabbitmq-stream-go-client/perfTest', version: 'v1.8.3'},
    signal,
  );
  const login = [username, password].map(encodeURIComponent).join(':');
  const uri = `rabbitmq-stream://${login}@${hostname}:${PB_RABBITMQ_STREAM_PORT}/%2f`;
  const name = `bench-${process.hrtime.bigint()}`;
  const work = ['--publishers', '1', '--consumers', '0', '--fixed-body', String(payloadBytes - timeBytes)];
  const bounds = ['--batch-size', String(batch), '--queue-size', String(window)];
  const duration = ['--time', String(scaled({length}, 5))];
  try {
    const words = ['silent', '--no-color', '--uris', uri, '--streams', name, ...work, ...bounds, ...duration];
    const {stdout, stderr} = await run(program, words, {signal});
    // Each line has the mean since the start.
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('| confirm '));
    return numberIn(lines.at(-1) ?? stderr, /\| confirm +([\d,.]+) msg\/s/);
  } finally {
    const connection = await connect({hostname, port: Number(PB_RABBITMQ_PORT), username, password});
    const channel = await connection.createChannel();
    await channel.deleteQueue(name);
    await connection.close();
  }
}

/** The JVM compiles the code of artemis perf within this time. */
const warmUpSeconds = 5;

/**
 * A producer and a consumer in one process.
 * @param {{window: number}} work window: messages without an outcome
 * @param {Record<string, string>} settings @param {Bench} bench
 */
export async function artemisPerf({window}, settings, {signal, length}) {
  const {PB_ARTEMIS_HOST: host, PB_ARTEMIS_PORT: port} = settings;
  const {PB_ARTEMIS_USERNAME: user, PB_ARTEMIS_PASSWORD: password} = settings;
  const program = (await findProgram(artemis)) ?? artemis.program;
  return await withPayloadFile(Buffer.alloc(0), async (file) => {
    const address = ['--protocol', 'AMQP', '--url', `tcp://${host}:${port}`, '--user', user];
    const load = ['--message-size', String(payloadBytes), '--max-pending', String(window)];
    // The duration includes the warm-up.
    const seconds = warmUpSeconds + scaled({length}, 5) + 1;
    const duration = ['--warmup', String(warmUpSeconds), '--duration', String(seconds)];
    const output = ['--silent', '--json', file, `queue://bench-${process.hrtime.bigint()}`];
    const words = ['perf', 'client', ...address, '--password', password, ...load, ...duration, ...output];
    await run(program, words, {signal});
    return receivedPerSecond(JSON.parse(await readFile(file, 'utf8')));
  });
}

/** @param {readonly {sampleType: string, warmup: boolean, time: number, received: number}[]} samples time: of the end, in ms */
function receivedPerSecond(samples) {
  const intervals = samples.filter(({sampleType}) => sampleType === 'interval');
  const first = intervals.findIndex(({warmup}) => !warmup);
  if (first < 1 || first === intervals.length) throw new Error('artemis perf ended too early.');
  const counted = intervals.slice(first);
  const ms = counted[counted.length - 1].time - intervals[first - 1].time;
  return (sum(counted.map(({received}) => received)) * 1000) / ms;
}

/** mosquitto_sub buffers its output, so its subscription is not visible. It subscribes within some milliseconds. */
const subscribedWithinMs = 1000;

/**
 * @param {{qos: number, window?: number}} work window: the unacknowledged messages of the publisher, for QoS 1 and 2
 * @param {Record<string, string>} settings @param {Bench} bench
 */
export async function mosquittoPrograms({qos, window}, settings, bench) {
  const {PB_MOSQUITTO_HOST, PB_MOSQUITTO_PORT, PB_MOSQUITTO_USERNAME, PB_MOSQUITTO_PASSWORD} = settings;
  // With QoS 2 of MQTT 5, Mosquitto 2.0.11 exceeds the subscriber's bound of messages, and mosquitto_sub ends.
  const version = qos === 2 ? 'mqttv311' : 'mqttv5';
  const address = ['-h', PB_MOSQUITTO_HOST, '-p', PB_MOSQUITTO_PORT, '-V', version];
  const login = ['-u', PB_MOSQUITTO_USERNAME, '-P', PB_MOSQUITTO_PASSWORD];
  const common = [...address, ...login, '-t', `bench-${process.hrtime.bigint()}`, '-q', String(qos)];
  const count = scaled(bench, qos === 0 ? 200_000 : 50_000);
  // The subscribers of perf-battle have this bound, too.
  const room = qos === 1 ? ['-D', 'connect', 'receive-maximum', '100'] : [];
  const inFlight = window === undefined ? [] : ['-M', String(window)];
  const {signal} = bench;
  const silent = /** @type {import('node:child_process').StdioOptions} */ (['ignore', 'ignore', 'inherit']);
  const subscriber = spawn('mosquitto_sub', [...common, ...room, '-C', String(count)], {
    signal,
    stdio: silent,
  });
  const received = endOf(subscriber);
  /** @type {import('node:child_process').ChildProcess | null} */
  let publisher = null;
  try {
    await Promise.race([sleep(subscribedWithinMs, undefined, {signal}), received]);
    publisher = spawn('mosquitto_pub', [...common, ...inFlight, '-l'], {
      signal,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const sent = endOf(publisher);
    const {stdin} =
      /** @type {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, null, null>} */ (
        publisher
      );
    stdin.on('error', () => {});
    const line = `${'x'.repeat(payloadBytes - 1)}\n`;
    const beganAt = performance.now();
    stdin.end(line.repeat(count));
    await Promise.all([received, sent]);
    return (count * 1000) / (performance.now() - beganAt);
  } finally {
    publisher?.kill('SIGKILL');
    subscriber.kill('SIGKILL');
  }
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<void>} rejects unless its exit code is 0 */
function endOf(child) {
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`${child.spawnfile} ended with exit code ${code}.`);
  });
  ended.catch(() => {});
  return ended;
}
