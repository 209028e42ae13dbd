import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {encodePayload} from '../src/transports/grpc/messages.js';
import {
  artemisPerf,
  jetStreamBench,
  mosquittoPrograms,
  natsBench,
  producerPerformance,
  redisBenchmark,
  streamPerfTest,
} from './broker-tools.js';
import {addressSettings, halfOf, pathOf, resultOf, withBroker} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';
import {battleCell, fetchGoProgram, numberIn, payloadBytes, withPayloadFile} from './tools.js';

/**
 * @import {AnyVariant} from '../src/transports/transport.js'
 * @import {Bench, Part} from './part.js'
 */

const minRatio = 0.9;
const run = promisify(execFile);

/**
 * @typedef {object} Comparison
 * @property {string} name
 * @property {string} transport
 * @property {AnyVariant} [variant] settings of the transport that are not the default
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
  {
    name: 'jetstream, files, 64 in flight / nats bench js pub async',
    transport: 'jetstream',
    explanation: isNative('nats is in Go'),
    ours: (settings, bench) =>
      enqueue('jetstream', ['--jetstream-storage', 'file', '--window', '64'], settings, bench),
    theirs: (settings, bench) => jetStreamBench({storage: 'file', window: 64}, settings, bench),
  },
  {
    name: 'rabbitmq-stream, 1000 in flight, frames of 100 / perfTest of the Go client',
    transport: 'rabbitmq-stream',
    ours: (settings, bench) => enqueue('rabbitmq-stream', ['--window', '1000'], settings, bench),
    theirs: (settings, bench) => streamPerfTest({window: 1000, batch: 100}, settings, bench),
  },
  {
    name: 'amqp1, Artemis, not durable, 64 in flight / artemis perf client',
    transport: 'amqp1',
    variant: {amqp1Broker: 'artemis'},
    ours: (settings, bench) => stream('amqp1', ['--delivery-mode', '1', '--window', '64'], settings, bench),
    theirs: (settings, bench) => artemisPerf({window: 64}, settings, bench),
  },
  {
    name: 'mqtt, QoS 0, publish and subscribe / mosquitto_pub and mosquitto_sub',
    transport: 'mqtt',
    explanation: isNative('mosquitto_pub and mosquitto_sub are in C'),
    ours: (settings, bench) => stream('mqtt', ['--mqtt-qos', '0'], settings, bench),
    theirs: (settings, bench) => mosquittoPrograms({qos: 0}, settings, bench),
  },
  ...[1, 2].map((qos) => ({
    name: `mqtt, QoS ${qos}, 64 in flight / mosquitto_pub and mosquitto_sub`,
    transport: 'mqtt',
    explanation: isNative('mosquitto_pub and mosquitto_sub are in C'),
    ours: (/** @type {Record<string, string>} */ settings, /** @type {Bench} */ bench) =>
      stream('mqtt', ['--mqtt-qos', String(qos), '--window', '64'], settings, bench),
    theirs: (/** @type {Record<string, string>} */ settings, /** @type {Bench} */ bench) =>
      mosquittoPrograms({qos, window: 64}, settings, bench),
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
    'Java, Maven and Go, Artemis, and redis-benchmark, mosquitto_pub and h2load (Debian: redis-tools, mosquitto-clients, nghttp2-client)',
  measure: compareTools,
};

/** @param {Bench} bench */
async function* compareTools(bench) {
  for (const {name, transport, variant, explanation, ours, theirs} of comparisons) {
    if (!name.includes(bench.matching)) continue;
    const compare = async function* (/** @type {Record<string, string>} */ settings) {
      yield await compareSides(bench, {
        what: name,
        bound: {min: minRatio},
        ...(explanation !== undefined && {explanation}),
        unit: '/s',
        one: () => ours(settings, bench),
        other: () => theirs(settings, bench),
      });
    };
    yield* withBroker(transport, bench, compare, variant);
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
