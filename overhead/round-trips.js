import {addressSettings, halfOf, pathOf, resultOf, withBroker} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';

/** @import {Bench, Part} from './part.js' */

const maxRatio = 1.03;

/** Numbers of round trips of a run and its warm-up. They are enough for the compiler, and take about a second. */
const sizes = [
  {label: '1 KB', payloadBytes: 1024, counts: {warmUp: 3000, samples: 4000}},
  {label: '1000 KB', payloadBytes: 1_024_000, counts: {warmUp: 300, samples: 400}},
];

/** @typedef {typeof sizes[number]} Size */

const transports = [
  'tcp',
  'http',
  'http2',
  'grpc',
  'sse',
  'websocket',
  'socketio',
  'zeromq',
  'rabbitmq',
  'amqp1',
  'nats',
  'redis',
  'jetstream',
  'mqtt',
  'kafka',
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
  for (const transport of transports) {
    const wanted = sizes.filter((size) => nameOf(transport, size).includes(bench.matching));
    if (wanted.length === 0) continue;
    yield* withBroker(transport, bench, (settings) => compareTransport(transport, wanted, settings, bench));
  }
}

/** @param {string} transport @param {Size} size */
function nameOf(transport, {label}) {
  return `${transport}, ${label}`;
}

/** @param {string} transport @param {readonly Size[]} wanted @param {Record<string, string>} settings @param {Bench} bench */
async function* compareTransport(transport, wanted, settings, bench) {
  const {signal} = bench;
  const server = await startServer(halfOf(transport, 'server'), {settings, signal});
  try {
    const withAddress = {...settings, ...addressSettings(server.address)};
    for (const size of wanted) yield await compareSize(transport, size, withAddress, bench);
  } finally {
    await server.end();
  }
}

/**
 * @param {string} transport @param {Size} size @param {Record<string, string>} shared settings @param {Bench} bench
 */
function compareSize(transport, size, shared, bench) {
  const {signal} = bench;
  const {payloadBytes, counts} = size;
  const settings = {
    ...shared,
    PB_OUTPUT: 'ndjson',
    PB_PAYLOAD_BYTES: String(payloadBytes),
    PB_WARMUP: String(scaled(bench, counts.warmUp)),
    PB_SAMPLES: String(scaled(bench, counts.samples)),
  };
  const run = (/** @type {readonly string[]} */ commandLine) => runNode(commandLine, {settings, signal});
  return compareSides(bench, {
    what: nameOf(transport, size),
    bound: {max: maxRatio},
    unit: 'ms',
    one: async () => resultOf(await run(halfOf(transport, 'client'))).rtt.p50Ms,
    other: async () => JSON.parse(await run([pathOf(`bare/${transport}.js`)])).p50Ms,
  });
}
