import {addressSettings, brokerSettings, obtainPrivateBroker, pathOf, resultOf} from './harness.js';
import {estimateMedian, measurePairs} from './pairs.js';
import {runNode, startServer} from './processes.js';

/**
 * @import {Bench} from './index.js'
 * @import {Row} from './report.js'
 */

const minRatio = 0.97;

/** Each run takes a second or two. */
const ofHttp = {PB_WINDOW: '16', PB_WARMUP: '6000', PB_SAMPLES: '12000'};
const ofWebSocket = {PB_WINDOW: '64', PB_WARMUP: '100000', PB_SAMPLES: '200000'};
/** A pipeline over one connection matches and times its replies. A second bare loop shows the cost of that alone. */
const pipelines = [
  {transport: 'http', settings: ofHttp, bare: 'pipeline-http', note: ''},
  {transport: 'websocket', settings: ofWebSocket, bare: 'pipeline-websocket', note: ''},
  {transport: 'websocket', settings: ofWebSocket, bare: 'pipeline-websocket-matched', note: ', matched'},
];
const stream = {PB_WORKLOAD: 'stream', PB_WARMUP: '20000', PB_SAMPLES: '60000'};

/**
 * The ratio of two rates of 1 KB messages: that of the harness's scripts, run by hand, to that of a bare loop with the same library and
 * settings.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
export async function* compareThroughput(bench) {
  for (const pipeline of pipelines) yield await comparePipeline(pipeline, bench);
  yield await compareStream(bench);
}

/**
 * Both clients use the same running server.
 * @param {typeof pipelines[number]} pipeline
 * @param {Bench} bench
 */
async function comparePipeline({transport, settings: own, bare, note}, {pairs, signal, onPair}) {
  const server = await startServer(pathOf(`../src/${transport}-server.js`), {settings: {}, signal});
  try {
    const settings = {
      ...own,
      PB_WORKLOAD: 'pipeline',
      PB_OUTPUT: 'ndjson',
      PB_PAYLOAD_BYTES: '1024',
      ...addressSettings(server.address),
    };
    const what = `${transport}, pipeline, window ${own.PB_WINDOW}${note}`;
    const measured = await measurePairs(
      pairs,
      async () => {
        const printed = await runNode([pathOf(`../src/${transport}-client.js`)], {settings, signal});
        return resultOf(printed).throughput.messagesPerSecond;
      },
      async () => readRate(await runNode([pathOf(`bare/${bare}.js`)], {settings, signal})),
      (pair) => onPair(what, pair),
    );
    return rowOf(what, measured);
  } finally {
    await server.end();
  }
}

/** Each side has its own receiver, which takes the times. @param {Bench} bench */
async function compareStream(bench) {
  const {pairs, signal, onPair} = bench;
  const broker = await obtainPrivateBroker(bench);
  try {
    const settings = {
      ...stream,
      PB_OUTPUT: 'ndjson',
      PB_PAYLOAD_BYTES: '1024',
      ...brokerSettings(broker),
    };
    const what = 'rabbitmq, stream';
    const measured = await measurePairs(
      pairs,
      () => runStream(settings, signal),
      async () => readRate(await runNode([pathOf('bare/stream-rabbitmq.js')], {settings, signal})),
      (pair) => onPair(what, pair),
    );
    return rowOf(what, measured);
  } finally {
    await broker.release();
  }
}

/**
 * Runs a pair by hand. The receiver reports the messages of the warm-up, then those of the measured part.
 * @param {Record<string, string>} settings
 * @param {AbortSignal} signal
 * @returns {Promise<number>} messages per second
 */
async function runStream(settings, signal) {
  const server = await startServer(pathOf('../src/rabbitmq-server.js'), {settings, signal});
  try {
    await runNode([pathOf('../src/rabbitmq-client.js')], {settings, signal});
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

/** @param {string} what @param {{one: number, other: number}[]} measured @returns {Row} */
function rowOf(what, measured) {
  return {
    what,
    bound: {sign: '>=', limit: minRatio},
    estimate: estimateMedian(measured.map(({one, other}) => one / other)),
    unit: '',
    sides: {one: measured.map(({one}) => one), other: measured.map(({other}) => other), unit: '/s'},
  };
}

/** @param {string} printed */
function readRate(printed) {
  return /** @type {number} */ (JSON.parse(printed).messagesPerSecond);
}
