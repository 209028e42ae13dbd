import {addressSettings, brokerSettings, obtainPrivateBroker, pathOf, resultOf} from './harness.js';
import {estimateMedian, measurePairs} from './pairs.js';
import {runNode, startServer} from './processes.js';

/**
 * @import {Bench} from './index.js'
 * @import {Row} from './report.js'
 */

const leastRatio = 0.97;

/** Each run takes a second or two. */
const ofHttp = {PB_WINDOW: '16', PB_WARMUP: '6000', PB_SAMPLES: '12000'};
const ofWebSocket = {PB_WINDOW: '64', PB_WARMUP: '100000', PB_SAMPLES: '200000'};
/** A pipeline over one connection matches replies and times them; what that costs by itself a second bare loop shows. */
const pipelines = [
  {transport: 'http', settings: ofHttp, bare: 'pipeline-http', note: ''},
  {transport: 'websocket', settings: ofWebSocket, bare: 'pipeline-websocket', note: ''},
  {transport: 'websocket', settings: ofWebSocket, bare: 'pipeline-websocket-matched', note: ', matched'},
];
const stream = {PB_WORKLOAD: 'stream', PB_WARMUP: '20000', PB_SAMPLES: '60000'};

/**
 * How many messages of 1 KB a second go through the harness, that is through the scripts as they are run by hand, over how many go through a
 * bare loop with the same library and settings.
 *
 * @param {Bench} bench
 * @returns {AsyncGenerator<Row>}
 */
export async function* compareThroughput(bench) {
  for (const pipeline of pipelines) yield await comparePipeline(pipeline, bench);
  yield await compareStream(bench);
}

/**
 * Both clients talk to one running server.
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

/** Both sides have a receiver of their own, which times. @param {Bench} bench */
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
 * A pair by hand: the receiver tells what came in the warm-up, then what came in the measured part.
 * @param {Record<string, string>} settings
 * @param {AbortSignal} signal
 * @returns {Promise<number>} messages per second
 */
async function runStream(settings, signal) {
  const server = await startServer(pathOf('../src/rabbitmq-server.js'), {settings, signal});
  try {
    await runNode([pathOf('../src/rabbitmq-client.js')], {settings, signal});
    await server.next(isTold);
    const {messages, distinct, firstMs, lastMs} = await server.next(isTold);
    const wanted = Number(settings.PB_SAMPLES);
    if (distinct !== wanted) throw new Error(`The receiver counted ${distinct} of ${wanted} messages.`);
    return ((messages - 1) * 1000) / (lastMs - firstMs);
  } finally {
    await server.end();
  }
}

/** @param {Record<string, any>} event */
function isTold({event, phase}) {
  return event === 'progress' && phase === 'told';
}

/** @param {string} what @param {{one: number, other: number}[]} measured @returns {Row} */
function rowOf(what, measured) {
  return {
    what,
    bound: {sign: '>=', limit: leastRatio},
    estimate: estimateMedian(measured.map(({one, other}) => one / other)),
    unit: '',
    sides: {one: measured.map(({one}) => one), other: measured.map(({other}) => other), unit: '/s'},
  };
}

/** @param {string} printed */
function readRate(printed) {
  return /** @type {number} */ (JSON.parse(printed).messagesPerSecond);
}
