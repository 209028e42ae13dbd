import {addressSettings, pathOf, resultOf} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';

/** @import {Bench, Part, Row} from './part.js' */

/** The client that a battle takes has bounds; the others are for information. */
const clients = [
  {library: 'undici', isDefault: true},
  {library: 'node', isDefault: false},
  {library: 'fetch', isDefault: false},
];

/** The messages of a run and of its warm-up: about a second. */
const one = {workload: 'rtt', window: 1, counts: {warmUp: 8000, samples: 12_000}};
const many = {workload: 'pipeline', window: 64, counts: {warmUp: 30_000, samples: 50_000}};

/** @type {Part} */
export const httpClients = {
  name: 'http',
  title: 'messages of 1 KB to the same node:http server: a client of the harness / autocannon',
  measure: compareClients,
};

/**
 * The ratio of the mean round trips with one request in flight, and of the rates with 64.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
async function* compareClients(bench) {
  const {signal} = bench;
  const settings = {PB_HTTP_SERVER: 'node'};
  const server = await startServer(pathOf('../src/http-server.js'), {settings, signal});
  try {
    const address = addressSettings(server.address);
    for (const {library, isDefault} of clients) {
      yield await compare(library, address, bench, {
        ...one,
        ...{figure: 'mean', unit: 'ms', bound: isDefault ? {max: 1.15} : null},
        ofHarness: ({rtt}) => rtt.meanMs,
        ofAutocannon: ({meanMs}) => meanMs,
      });
      yield await compare(library, address, bench, {
        ...many,
        ...{figure: 'rate', unit: '/s', bound: isDefault ? {min: 0.9} : null},
        ofHarness: ({throughput}) => throughput.messagesPerSecond,
        ofAutocannon: ({messagesPerSecond}) => messagesPerSecond,
      });
    }
  } finally {
    await server.end();
  }
}

/**
 * @typedef {typeof one & {figure: string, unit: string, bound: Row['bound'], ofHarness: (result: Record<string, any>) => number,
 *   ofAutocannon: (result: Record<string, number>) => number}} Load
 *
 * @param {string} library
 * @param {Record<string, string>} address
 * @param {Bench} bench
 * @param {Load} load
 */
function compare(library, address, bench, {workload, window, counts, figure, unit, bound, ...read}) {
  const [warmUp, samples] = [counts.warmUp, counts.samples].map((count) => scaled(bench, count));
  const settings = {
    ...address,
    ...{PB_OUTPUT: 'ndjson', PB_PAYLOAD_BYTES: '1024', PB_HTTP_CLIENT: library, PB_WORKLOAD: workload},
    ...{PB_WARMUP: String(warmUp), PB_SAMPLES: String(samples), PB_WINDOW: String(window)},
  };
  const run = (/** @type {string} */ script) => runNode([pathOf(script)], {settings, signal: bench.signal});
  return compareSides(bench, {
    ...{what: `${library}, ${figure} with ${window} in flight`, bound, unit},
    one: async () => read.ofHarness(resultOf(await run('../src/http-client.js'))),
    other: async () => read.ofAutocannon(JSON.parse(await run('autocannon-process.js'))),
  });
}
