import {addressSettings, pathOf, resultOf, withBroker} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';

/** @import {Bench, Part, Row} from './part.js' */

const maxRatio = 1.03;

/** The round trips of a run and of its warm-up: enough for the compiler, in about a second. */
const sizes = [
  {label: '1 KB', payloadBytes: 1024, counts: {warmUp: 3000, samples: 4000}},
  {label: '1000 KB', payloadBytes: 1_024_000, counts: {warmUp: 300, samples: 400}},
];

const transports = ['tcp', 'http', 'websocket', 'rabbitmq', 'nats'];

/** @type {Part} */
export const roundTrips = {
  name: 'round-trips',
  title: 'p50 of round trips: the harness / a bare loop',
  measure: compareRoundTrips,
};

/**
 * The ratio of two p50: that of the client's script, run by hand, to that of a bare loop with the same library and settings.
 * Both use the same running server and get the same environment.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
async function* compareRoundTrips(bench) {
  for (const transport of transports)
    yield* withBroker(transport, bench, (settings) => compareTransport(transport, settings, bench));
}

/**
 * @param {string} transport
 * @param {Record<string, string>} settings
 * @param {Bench} bench
 */
async function* compareTransport(transport, settings, bench) {
  const {signal} = bench;
  const server = await startServer(pathOf(`../src/${transport}-server.js`), {settings, signal});
  try {
    const withAddress = {...settings, ...addressSettings(server.address)};
    for (const size of sizes) yield await compareSize(transport, size, withAddress, bench);
  } finally {
    await server.end();
  }
}

/**
 * @param {string} transport
 * @param {typeof sizes[number]} size
 * @param {Record<string, string>} shared settings
 * @param {Bench} bench
 * @returns {Promise<Row>}
 */
function compareSize(transport, {label, payloadBytes, counts}, shared, bench) {
  const {signal} = bench;
  const settings = {
    ...shared,
    PB_OUTPUT: 'ndjson',
    PB_PAYLOAD_BYTES: String(payloadBytes),
    PB_WARMUP: String(scaled(bench, counts.warmUp)),
    PB_SAMPLES: String(scaled(bench, counts.samples)),
  };
  const run = (/** @type {string} */ script) => runNode([pathOf(script)], {settings, signal});
  return compareSides(bench, {
    what: `${transport}, ${label}`,
    bound: {max: maxRatio},
    unit: 'ms',
    one: async () => resultOf(await run(`../src/${transport}-client.js`)).rtt.p50Ms,
    other: async () => JSON.parse(await run(`bare/${transport}.js`)).p50Ms,
  });
}
