import {addressSettings, brokerSettings, obtainPrivateBroker, pathOf, resultOf} from './harness.js';
import {estimateMedian, measurePairs} from './pairs.js';
import {runNode, startServer} from './processes.js';

/**
 * @import {Bench} from './index.js'
 * @import {Row} from './report.js'
 */

const maxRatio = 1.03;

/** The round trips of a run and of its warm-up: enough for the compiler, in about a second. */
const sizes = [
  {label: '1 KB', payloadBytes: 1024, counts: {warmUp: 3000, samples: 4000}},
  {label: '1000 KB', payloadBytes: 1_024_000, counts: {warmUp: 300, samples: 400}},
];

const transports = ['tcp', 'http', 'websocket', 'rabbitmq'];

/**
 * The ratio of two p50: that of the client's script, run by hand, to that of a bare loop with the same library and settings.
 * Both use the same running server and get the same environment.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
export async function* compareRoundTrips(bench) {
  for (const transport of transports) {
    const broker = transport === 'rabbitmq' ? await obtainPrivateBroker(bench) : null;
    try {
      yield* compareTransport(transport, broker ? brokerSettings(broker) : {}, bench);
    } finally {
      await broker?.release();
    }
  }
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
async function compareSize(transport, {label, payloadBytes, counts}, shared, {pairs, signal, onPair}) {
  const settings = {
    ...shared,
    PB_OUTPUT: 'ndjson',
    PB_PAYLOAD_BYTES: String(payloadBytes),
    PB_WARMUP: String(counts.warmUp),
    PB_SAMPLES: String(counts.samples),
  };
  const what = `${transport}, ${label}`;
  const measured = await measurePairs(
    pairs,
    async () =>
      resultOf(await runNode([pathOf(`../src/${transport}-client.js`)], {settings, signal})).rtt.p50Ms,
    async () => JSON.parse(await runNode([pathOf(`bare/${transport}.js`)], {settings, signal})).p50Ms,
    (pair) => onPair(what, pair),
  );
  return {
    what,
    bound: {sign: '<=', limit: maxRatio},
    estimate: estimateMedian(measured.map(({one, other}) => one / other)),
    unit: '',
    sides: {one: measured.map(({one}) => one), other: measured.map(({other}) => other), unit: 'ms'},
  };
}
