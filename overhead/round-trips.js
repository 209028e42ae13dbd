import {transportNamed} from '../src/transports/index.js';
import {addressSettings, halfOf, pathOf, resultOf, withBroker} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';

/**
 * @import {Bench, Part} from './part.js'
 * @import {AnyVariant} from '../src/transports/transport.js'
 */

const maxRatio = 1.03;

/** Numbers of round trips of a run and its warm-up. They are enough for the compiler, and take about a second. */
const sizes = [
  {label: '1 KB', payloadBytes: 1024, counts: {warmUp: 3000, samples: 4000}},
  {label: '1000 KB', payloadBytes: 1_024_000, counts: {warmUp: 300, samples: 400}},
];

/** @typedef {typeof sizes[number]} Size */

const transports = [
  ...[
    'tcp',
    'http',
    'http2',
    'grpc',
    'sse',
    'websocket',
    'socketio',
    'zeromq',
    'worker',
    'rabbitmq',
    'amqp1',
  ],
  ...['stomp', 'rabbitmq-stream', 'nats', 'redis', 'jetstream', 'mqtt', 'kafka', 'unix'],
  ...['udp', 'posix-mq', 'shared-memory'],
];

/** @typedef {{name: string, transport: string, variant?: AnyVariant, loop?: string}} Pair loop: the script of its bare loop; default its name */

/** @type {readonly Pair[]} */
const pairs = [
  ...transports.map((name) => ({name, transport: name})),
  {name: 'amqp1-artemis', transport: 'amqp1', variant: {amqp1Broker: 'artemis'}},
  // Older versions of RabbitMQ do not speak MQTT 5.
  {name: 'mqtt-rabbitmq', transport: 'mqtt', variant: {mqttBroker: 'rabbitmq', rabbitmqHome: '4'}},
  {name: 'http-fastify', transport: 'http', variant: {serverLibrary: 'fastify'}, loop: 'http'},
];

/** @type {Part} */
export const roundTrips = {
  name: 'round-trips',
  title: 'p50 of round trips: the harness / a bare loop',
  measure: compareRoundTrips,
};

/**
 * Compares the p50 of the client's script, run by hand, with the p50 of a bare loop with the same library and settings. Both use the same
 * running server and get the same environment.
 * @param {Bench} bench
 */
async function* compareRoundTrips(bench) {
  for (const pair of pairs) {
    const {transport, variant} = pair;
    const wanted = sizes.filter((size) => nameOf(pair, size).includes(bench.matching));
    if (wanted.length === 0) continue;
    yield* withBroker(transport, bench, (settings) => comparePair(pair, wanted, settings, bench), variant);
  }
}

/** @param {Pair} pair @param {Size} size */
function nameOf({name}, {label}) {
  return `${name}, ${label}`;
}

/** @param {Pair} pair @param {readonly Size[]} wanted @param {Record<string, string>} settings @param {Bench} bench */
async function* comparePair(pair, wanted, settings, bench) {
  const {signal} = bench;
  const server = await startServer(halfOf(pair.transport, 'server'), {settings, signal});
  try {
    const withAddress = {...settings, ...addressSettings(server.address)};
    for (const size of wanted) yield await compareSize(pair, size, withAddress, bench);
  } finally {
    await server.end();
  }
}

/** @param {Pair} pair @param {Size} size @param {Record<string, string>} shared settings @param {Bench} bench */
function compareSize(pair, size, shared, bench) {
  const {signal} = bench;
  const {payloadBytes} = size;
  const counts = countsOf(pair, size);
  const settings = {
    ...shared,
    PB_OUTPUT: 'ndjson',
    PB_PAYLOAD_BYTES: String(payloadBytes),
    PB_WARMUP: String(scaled(bench, counts.warmUp)),
    PB_SAMPLES: String(scaled(bench, counts.samples)),
  };
  const run = (/** @type {readonly string[]} */ commandLine) => runNode(commandLine, {settings, signal});
  return compareSides(bench, {
    what: nameOf(pair, size),
    bound: {max: maxRatio},
    unit: 'ms',
    one: async () => resultOf(await run(halfOf(pair.transport, 'client'))).rtt.p50Ms,
    other: async () => JSON.parse(await run([pathOf(`bare/${pair.loop ?? pair.name}.js`)])).p50Ms,
  });
}

/** A run that would take longer has fewer round trips. The library for STOMP reads large messages byte by byte. */
const maxRunMs = 15_000;

/** @param {Pair} pair @param {Size} size */
function countsOf({transport, variant}, {payloadBytes, counts}) {
  const {warmUp, samples} = counts;
  const {options, roundTripMs = () => 1} = transportNamed(transport);
  const usual = Object.fromEntries(options.map((one) => [one.key, one.default]));
  const expectedMs = (warmUp + samples) * roundTripMs(payloadBytes, {...usual, ...variant});
  const share = Math.min(1, maxRunMs / expectedMs);
  return {warmUp: Math.ceil(warmUp * share), samples: Math.ceil(samples * share)};
}
