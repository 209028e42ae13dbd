import {fileURLToPath} from 'node:url';
import {obtainBroker} from '../src/brokers/index.js';
import {estimateMedian, measurePairs} from './pairs.js';
import {runNode, startServer} from './processes.js';

const leastRatio = 0.97;

/** Each run takes a second or two. */
const pipelines = [
  {transport: 'http', settings: {PB_WINDOW: '16', PB_WARMUP: '6000', PB_SAMPLES: '12000'}},
  {transport: 'websocket', settings: {PB_WINDOW: '64', PB_WARMUP: '100000', PB_SAMPLES: '200000'}},
];
const stream = {PB_WORKLOAD: 'stream', PB_WARMUP: '20000', PB_SAMPLES: '60000'};

/**
 * How many messages of 1 KB a second go through the harness, that is through the scripts as they are run by hand, over how many go through a
 * bare loop with the same library and settings.
 *
 * @param {import('./index.js').Bench} bench
 * @returns {AsyncGenerator<import('./report.js').Row>}
 */
export async function* compareThroughput(bench) {
  for (const pipeline of pipelines) yield await comparePipeline(pipeline, bench);
  yield await compareStream(bench);
}

/**
 * Both clients talk to one running server.
 * @param {typeof pipelines[number]} pipeline
 * @param {import('./index.js').Bench} bench
 */
async function comparePipeline({transport, settings: own}, {pairs, signal, onPair}) {
  const server = await startServer(pathOf(`../src/${transport}-server.js`), {settings: {}, signal});
  try {
    const [host, port] = (server.address ?? '').split(':');
    const settings = {
      ...own,
      PB_WORKLOAD: 'pipeline',
      PB_OUTPUT: 'ndjson',
      PB_PAYLOAD_BYTES: '1024',
      PB_SERVER_HOST: host,
      PB_SERVER_PORT: port,
    };
    const what = `${transport}, pipeline, window ${own.PB_WINDOW}`;
    const measured = await measurePairs(
      pairs,
      async () => {
        const printed = await runNode([pathOf(`../src/${transport}-client.js`)], {settings, signal});
        return eventsOf(printed).find(({event}) => event === 'result')?.throughput.messagesPerSecond;
      },
      async () => readRate(await runNode([pathOf(`bare/pipeline-${transport}.js`)], {settings, signal})),
      (pair) => onPair(what, pair),
    );
    return rowOf(what, measured);
  } finally {
    await server.end();
  }
}

/** Both sides have a receiver of their own, which times. @param {import('./index.js').Bench} bench */
async function compareStream({pairs, signal, onPair, log}) {
  const broker = await obtainBroker({choice: 'private', given: null, log, signal});
  try {
    const {hostname, port, username, password} = broker.connection;
    const settings = {
      ...stream,
      PB_OUTPUT: 'ndjson',
      PB_PAYLOAD_BYTES: '1024',
      PB_RABBITMQ_HOST: hostname,
      PB_RABBITMQ_PORT: String(port),
      PB_RABBITMQ_USERNAME: username,
      PB_RABBITMQ_PASSWORD: password,
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

/** @param {string} what @param {{one: number, other: number}[]} measured @returns {import('./report.js').Row} */
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

/** @param {string} printed lines of JSON @returns {Record<string, any>[]} */
function eventsOf(printed) {
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** @param {string} path relative to this file */
function pathOf(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}
