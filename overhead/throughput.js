import {addressSettings, halfOf, pathOf, resultOf, withBroker} from './harness.js';
import {compareSides, scaled} from './pairs.js';
import {runNode, startServer} from './processes.js';

/** @import {Bench, Part} from './part.js' */

const minRatio = 0.97;

/**
 * The numbers of messages of a run and its warm-up; a run takes a second or two. A pipeline over one connection matches and times its replies. A
 * second bare loop shows the cost of this work alone.
 */
const ofHttp = {window: 16, counts: {warmUp: 6000, samples: 12_000}};
const ofWebSocket = {window: 64, counts: {warmUp: 100_000, samples: 200_000}};
const pipelines = [
  {transport: 'http', ...ofHttp, bare: 'pipeline-http', note: ''},
  {transport: 'websocket', ...ofWebSocket, bare: 'pipeline-websocket', note: ''},
  {transport: 'websocket', ...ofWebSocket, bare: 'pipeline-websocket-matched', note: ', matched'},
];
const streams = [{transport: 'rabbitmq', counts: {warmUp: 20_000, samples: 60_000}}];

/** @type {Part} */
export const throughput = {
  name: 'throughput',
  title: 'messages of 1 KB per second: the harness / a bare loop',
  measure: compareThroughput,
};

/**
 * Compares rates of 1 KB messages: of the harness's scripts, run by hand, and of a bare loop with the same library and settings.
 * @param {Bench} bench
 */
async function* compareThroughput(bench) {
  for (const pipeline of pipelines) yield await comparePipeline(pipeline, bench);
  for (const stream of streams) yield* compareStream(stream, bench);
}

/** Both clients use the same running server. @param {typeof pipelines[number]} pipeline @param {Bench} bench */
async function comparePipeline({transport, window, counts, bare, note}, bench) {
  const {signal} = bench;
  const server = await startServer(halfOf(transport, 'server'), {settings: {}, signal});
  try {
    const settings = {
      ...settingsOf(counts, bench),
      PB_WORKLOAD: 'pipeline',
      PB_WINDOW: String(window),
      ...addressSettings(server.address),
    };
    const run = (/** @type {readonly string[]} */ commandLine) => runNode(commandLine, {settings, signal});
    return await compareSides(bench, {
      ...rates,
      what: `${transport}, pipeline, window ${window}${note}`,
      one: async () => resultOf(await run(halfOf(transport, 'client'))).throughput.messagesPerSecond,
      other: async () => readRate(await run([pathOf(`bare/${bare}.js`)])),
    });
  } finally {
    await server.end();
  }
}

/**
 * Each side has its own receiver, which measures the time.
 * @param {typeof streams[number]} stream @param {Bench} bench
 */
async function* compareStream({transport, counts}, bench) {
  yield* withBroker(transport, bench, async function* (broker) {
    const settings = {...settingsOf(counts, bench), PB_WORKLOAD: 'stream', ...broker};
    const {signal} = bench;
    yield await compareSides(bench, {
      ...rates,
      what: `${transport}, stream`,
      one: () => runStream(transport, settings, signal),
      other: async () => readRate(await runNode([pathOf(`bare/stream-${transport}.js`)], {settings, signal})),
    });
  });
}

const rates = {bound: {min: minRatio}, unit: '/s'};

/** @param {{warmUp: number, samples: number}} counts @param {Bench} bench */
function settingsOf({warmUp, samples}, bench) {
  return {
    PB_OUTPUT: 'ndjson',
    PB_PAYLOAD_BYTES: '1024',
    PB_WARMUP: String(scaled(bench, warmUp)),
    PB_SAMPLES: String(scaled(bench, samples)),
  };
}

/**
 * Runs a pair by hand. The receiver reports the messages of the warm-up, then those of the measured part.
 * @param {string} transport @param {Record<string, string>} settings @param {AbortSignal} signal
 * @returns {Promise<number>} messages per second
 */
async function runStream(transport, settings, signal) {
  const server = await startServer(halfOf(transport, 'server'), {settings, signal});
  try {
    await runNode(halfOf(transport, 'client'), {settings, signal});
    await server.next(isReport);
    const {messages, distinct, firstMs, lastMs} = await server.next(isReport);
    const wanted = Number(settings.PB_SAMPLES);
    if (distinct !== wanted) throw new Error(`The receiver counted ${distinct} of ${wanted} messages.`);
    return ((messages - 1) * 1000) / (lastMs - firstMs);
  } finally {
    await server.end();
  }
}

/** @param {Record<string, any>} event */
function isReport({event, phase}) {
  return event === 'progress' && phase === 'received';
}

/** @param {string} printed */
function readRate(printed) {
  return /** @type {number} */ (JSON.parse(printed).messagesPerSecond);
}
