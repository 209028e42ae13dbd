import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {Admin} from '@platformatic/kafka';
import {Redis} from 'ioredis';
import {encodePayload} from '../src/transports/grpc/messages.js';
import {addressSettings, halfOf, pathOf, resultOf, withBroker} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';
import {battleCell, fetchGoProgram, fetchJars} from './tools.js';

/** @import {Bench, Part} from './part.js' */

const payloadBytes = 1024;
const minRatio = 0.9;
const run = promisify(execFile);

/**
 * @typedef {object} Comparison
 * @property {string} name
 * @property {string} transport
 * @property {string} [explanation] why our rate may be below the bound
 * @property {(settings: Record<string, string>, bench: Bench) => Promise<number>} ours messages per second
 * @property {(settings: Record<string, string>, bench: Bench) => Promise<number>} theirs messages per second
 */

/** @param {string} tool @param {string} [more] @returns {string} the reason why a client in Node.js is slower than the tool */
const isNative = (tool, more = '') =>
  `${tool}${more}, and our client is in Node.js: round-trips bounds it by its bare loop.`;

/** Both sides do the same work, as far as the tool supports it. @type {readonly Comparison[]} */
const comparisons = [
  {
    name: 'redis, RPUSH to a list, 64 in flight / redis-benchmark',
    transport: 'redis',
    explanation: isNative('redis-benchmark is in C', ' and writes 64 commands at once'),
    ours: (settings, bench) => enqueue('redis', ['--window', '64'], settings, bench),
    theirs: redisBenchmark,
  },
  {
    name: 'kafka, acks all, 1000 in flight / kafka-producer-perf-test',
    transport: 'kafka',
    ours: (settings, bench) => enqueue('kafka', ['--window', '1000'], settings, bench),
    theirs: producerPerformance,
  },
  {
    name: 'nats, publish and subscribe / nats-bench',
    transport: 'nats',
    explanation: isNative('nats-bench is in Go', ' and compares no payload'),
    ours: (settings, bench) => stream('nats', [], settings, bench),
    theirs: natsBench,
  },
  ...[0, 1].map((qos) => ({
    name: `mqtt, QoS ${qos}, publish and subscribe / mosquitto_pub and mosquitto_sub`,
    transport: 'mqtt',
    ours: (/** @type {Record<string, string>} */ settings, /** @type {Bench} */ bench) =>
      stream('mqtt', ['--mqtt-qos', String(qos)], settings, bench),
    theirs: (/** @type {Record<string, string>} */ settings, /** @type {Bench} */ bench) =>
      mosquittoPrograms(qos, settings, bench),
  })),
  {
    name: 'http2, POST, 16 in flight / h2load',
    transport: 'http2',
    explanation: isNative('h2load is in C'),
    ours: (_, bench) => pipelineByHand('http2', bench),
    theirs: (_, bench) => againstServer('http2', bench, h2load),
  },
  {
    name: 'grpc, unary, 16 in flight / ghz',
    transport: 'grpc',
    explanation: isNative('ghz is in Go'),
    ours: (_, bench) => pipelineByHand('grpc', bench),
    theirs: (_, bench) => againstServer('grpc', bench, ghz),
  },
];

/** @type {Part} */
export const ownTools = {
  name: 'own-tools',
  title: 'messages of 1 KB per second: perf-battle / the load generator of each broker or protocol',
  needs:
    'Java, Maven and Go, and redis-benchmark, mosquitto_pub and h2load (Debian: redis-tools, mosquitto-clients, nghttp2-client)',
  measure: compareTools,
};

/** @param {Bench} bench */
async function* compareTools(bench) {
  for (const {name, transport, explanation, ours, theirs} of comparisons) {
    if (!name.includes(bench.matching)) continue;
    yield* withBroker(transport, bench, async function* (settings) {
      yield await compareSides(bench, {
        what: name,
        bound: {min: minRatio},
        ...(explanation !== undefined && {explanation}),
        unit: '/s',
        one: () => ours(settings, bench),
        other: () => theirs(settings, bench),
      });
    });
  }
}

/**
 * Measures how fast a queue is filled, with an acknowledgement of each message.
 * @param {string} transport @param {readonly string[]} flags @param {Record<string, string>} settings @param {Bench} bench
 */
async function enqueue(transport, flags, settings, bench) {
  const samples = ['--samples', String(scaled(bench, 100_000))];
  const load = ['--workload', 'queue', '--payload', String(payloadBytes), ...samples, ...flags];
  const {phases} = await battleCell(transport, load, settings, bench.signal);
  return phases.enqueue.messagesPerSecond;
}

/** @param {string} transport @param {readonly string[]} flags @param {Record<string, string>} settings @param {Bench} bench */
async function stream(transport, flags, settings, bench) {
  const duration = ['--duration', `${scaled(bench, 5)}s`];
  const load = ['--workload', 'stream', '--payload', String(payloadBytes), ...duration, ...flags];
  const {throughput} = await battleCell(transport, load, settings, bench.signal);
  return throughput.messagesPerSecond;
}

const requests = 60_000;
const window = 16;

/** @param {string} transport @param {Bench} bench */
async function pipelineByHand(transport, bench) {
  const counts = {PB_WARMUP: String(scaled(bench, 20_000)), PB_SAMPLES: String(scaled(bench, requests))};
  const load = {PB_WORKLOAD: 'pipeline', PB_WINDOW: String(window), PB_PAYLOAD_BYTES: String(payloadBytes)};
  return await againstServer(transport, bench, async (address) => {
    const settings = {PB_OUTPUT: 'ndjson', ...counts, ...load, ...addressSettings(address)};
    const printed = await runNode(halfOf(transport, 'client'), {settings, signal: bench.signal});
    return resultOf(printed).throughput.messagesPerSecond;
  });
}

/**
 * Each side has its own server, which has warmed up.
 * @param {string} transport @param {Bench} bench @param {(address: string, bench: Bench) => Promise<number>} measure
 */
async function againstServer(transport, bench, measure) {
  const server = await startServer(halfOf(transport, 'server'), {settings: {}, signal: bench.signal});
  try {
    return await measure(String(server.address), bench);
  } finally {
    await server.end();
  }
}

/** @param {string} address @param {Bench} bench */
async function h2load(address, bench) {
  return await withPayloadFile(Buffer.alloc(payloadBytes, 'x'), async (file) => {
    const load = ['-c', '1', '-m', String(window), '-d', file, `http://${address}/`];
    const count = (/** @type {number} */ usual) => ['-n', String(scaled(bench, usual))];
    await run('h2load', [...count(20_000), ...load], {signal: bench.signal});
    const {stdout} = await run('h2load', [...count(requests), ...load], {signal: bench.signal});
    return numberIn(stdout, /finished in .*, ([\d.]+) req\/s/);
  });
}

/** @param {string} address @param {Bench} bench */
async function ghz(address, bench) {
  const {signal} = bench;
  const program = await fetchGoProgram(
    {program: 'github.com/bojand/ghz/cmd/ghz', version: 'v0.120.0'},
    signal,
  );
  return await withPayloadFile(encodePayload(Buffer.alloc(payloadBytes, 'x')), async (file) => {
    const called = ['--insecure', '--call', 'perfbattle.Battle/Exchange', '-B', file];
    const proto = ['--proto', pathOf('../src/transports/grpc/battle.proto')];
    const load = ['-c', String(window), '--connections', '1'];
    const send = (/** @type {number} */ usual) =>
      run(program, [...called, ...proto, ...load, '-n', String(scaled(bench, usual)), address], bench);
    await send(20_000);
    const {stdout} = await send(requests);
    return numberIn(stdout, /Requests\/sec:\s+([\d.]+)/);
  });
}

/** @param {Record<string, string>} settings @param {Bench} bench */
async function redisBenchmark({PB_REDIS_HOST, PB_REDIS_PORT, PB_REDIS_USERNAME, PB_REDIS_PASSWORD}, bench) {
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
async function producerPerformance(
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
async function natsBench({PB_NATS_HOST, PB_NATS_PORT, PB_NATS_USERNAME, PB_NATS_PASSWORD}, bench) {
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

/** mosquitto_sub buffers its output, so its subscription is not visible. It subscribes within some milliseconds. */
const subscribedWithinMs = 1000;

/** @param {number} qos @param {Record<string, string>} settings @param {Bench} bench */
async function mosquittoPrograms(qos, settings, bench) {
  const {PB_MOSQUITTO_HOST, PB_MOSQUITTO_PORT, PB_MOSQUITTO_USERNAME, PB_MOSQUITTO_PASSWORD} = settings;
  const address = ['-h', PB_MOSQUITTO_HOST, '-p', PB_MOSQUITTO_PORT, '-V', 'mqttv5'];
  const login = ['-u', PB_MOSQUITTO_USERNAME, '-P', PB_MOSQUITTO_PASSWORD];
  const common = [...address, ...login, '-t', `bench-${process.hrtime.bigint()}`, '-q', String(qos)];
  const count = scaled(bench, qos === 0 ? 200_000 : 50_000);
  const {signal} = bench;
  const silent = /** @type {import('node:child_process').StdioOptions} */ (['ignore', 'ignore', 'inherit']);
  const subscriber = spawn('mosquitto_sub', [...common, '-C', String(count)], {signal, stdio: silent});
  const received = endOf(subscriber);
  /** @type {import('node:child_process').ChildProcess | null} */
  let publisher = null;
  try {
    await Promise.race([sleep(subscribedWithinMs, undefined, {signal}), received]);
    publisher = spawn('mosquitto_pub', [...common, '-l'], {signal, stdio: ['pipe', 'ignore', 'inherit']});
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

/** @param {Buffer} content @param {(file: string) => Promise<number>} use */
async function withPayloadFile(content, use) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-own-tools-'));
  try {
    const file = join(folder, 'content');
    await writeFile(file, content);
    return await use(file);
  } finally {
    await rm(folder, {recursive: true});
  }
}

/** @param {string} text @param {RegExp} pattern @returns {number} @throws {Error} with the text, if the number is missing */
function numberIn(text, pattern) {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined)
    throw new Error(`${pattern} is not in what the tool printed:\n${text.slice(-2000)}`);
  return Number(found.replaceAll(',', ''));
}
