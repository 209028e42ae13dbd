import {addressSettings, brokerSettings, obtainPrivateBroker, pathOf, resultOf} from './harness.js';
import {estimateMedian, measurePairs} from './pairs.js';
import {runNode, startServer} from './processes.js';

/**
 * @import {Bench} from './index.js'
 * @import {Row} from './report.js'
 */

const mostRatio = 1.03;

/** Round trips of a run, and as many or fewer to warm up: enough for the compiler, and a run takes about a second. */
const sizes = [
  {label: '1 KB', payloadBytes: 1024, counts: {warmUp: 3000, samples: 4000}},
  {label: '1000 KB', payloadBytes: 1_024_000, counts: {warmUp: 300, samples: 400}},
];

const transports = ['tcp', 'http', 'websocket', 'rabbitmq'];

/**
 * Half of all round trips take no longer than the p50: through the harness, that is through the client's script as it is
 * run by hand, over a bare loop with the same library and settings. Both talk to one running server and are given the same
 * environment.
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
    const reached = {...settings, ...addressSettings(server.address)};
    for (const size of sizes) yield await compareSize(transport, size, reached, bench);
  } finally {
    await server.end();
  }
}

/**
 * @param {string} transport
 * @param {typeof sizes[number]} size
 * @param {Record<string, string>} reached
 * @param {Bench} bench
 * @returns {Promise<Row>}
 */
async function compareSize(transport, {label, payloadBytes, counts}, reached, {pairs, signal, onPair}) {
  const settings = {
    ...reached,
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
    bound: {sign: '<=', limit: mostRatio},
    estimate: estimateMedian(measured.map(({one, other}) => one / other)),
    unit: '',
    sides: {one: measured.map(({one}) => one), other: measured.map(({other}) => other), unit: 'ms'},
  };
}
