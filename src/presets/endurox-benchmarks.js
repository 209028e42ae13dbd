import {preset, warmUpOf} from './preset.js';

/**
 * @import {DocumentName, PublishedFigure} from '../results/published/figures.js'
 * @import {Comparison, Preset} from './types.js'
 */

const document = 'endurox-benchmark-doc';
const kilobyte = 1024;
/** One byte, then 1 to 53 KB: 15 sizes. */
const payloadBytes = [1, ...Array.from({length: 14}, (_, index) => (1 + 4 * index) * kilobyte)];

const calls = 163_840;
const callsOfThread = 131_072;
const pairs = 5000;

/** @param {number} bytes */
function synchronousCalls(bytes) {
  return bytes < 10 * kilobyte ? 2 * calls : calls;
}

/** @param {number} bytes */
function oneWayCalls(bytes) {
  return bytes < 20 * kilobyte ? 5 * calls : calls;
}

/**
 * The driver runs the first size twice and keeps the second result, so its process is warm for later sizes. Here each size has fresh processes.
 * @param {number} bytes @param {{samples: number, others: number}} counts others: the number of warm-up messages of each other size
 */
function lengthOf(bytes, {samples, others}) {
  return {samples, warmUp: warmUpOf(bytes === 1 ? samples : others)};
}

const warmUpCalls = 2000;
const warmUpMessages = 20_000;
const warmUpPairs = 500;

const onlyCharts =
  'The text shows its results as charts. The figures come from the data files of the charts, in doc/benchmark of the public repository endurox-dev/endurox, as of the commit that each row names. A row names its configuration as the file does. Where a configuration was measured again, its last figures are shown. Configurations without a machine are left out.';
const measuredHere =
  'Enduro/X is measured here where its programs are given (perf-battle help systems). Its calls go through kernel queues between C programs. The other transports only share its workload.';
const counts =
  'The text states neither sizes nor numbers of calls. They come from its drivers: 1 byte, then 1 to 53 KB in steps of 4 KB.';
const fresh =
  'The driver measures the first size twice and keeps the second run. Here the warm-up of the first size has as many messages as its measurement. Every other size has fresh processes, and a shorter warm-up.';

const request = /** @type {const} */ (['tcp', 'http', 'websocket', 'rabbitmq']);

const common = {
  document: /** @type {DocumentName} */ (document),
  needs: /** @type {string[]} */ ([]),
};

/**
 * The data file of a chart, and the comparison with its figures.
 * @param {string} dataFile @param {string} what @param {string} [unit] @returns {{dataFile: string, comparison: Comparison}}
 */
function chart(dataFile, what, unit = 'calls/s') {
  const isShown = (/** @type {PublishedFigure} */ {source}) => source.startsWith(`${dataFile}.txt `);
  return {dataFile, comparison: {figure: 'rate', what, unit, isShown}};
}

const synchronous = /** @type {const} */ ({
  workload: ['rtt'],
  transport: request,
  serverLibrary: ['express'],
  payloadBytes,
  pairPer: 'cell',
  answer: ['echo'],
  deliveryMode: [1],
  rounds: 1,
});

/** @type {Preset['lengthOf']} */
function lengthOfSynchronous({payloadBytes: bytes}) {
  return lengthOf(bytes, {samples: synchronousCalls(bytes), others: warmUpCalls});
}

const local = preset({
  ...common,
  name: 'endurox-01',
  summary:
    'One client and one server on one host, one call at a time, at one byte and at 1 to 53 KB: 163840 calls, and twice as many below 10 KB.',
  differs: [onlyCharts, measuredHere, counts, fresh],
  settings: synchronous,
  lengthOf: lengthOfSynchronous,
  ...chart('01_tpcall', 'local call'),
});

const networked = preset({
  ...common,
  name: 'endurox-02',
  summary: 'The calls of endurox-01 between two instances over the network, at one byte and at 1 to 53 KB.',
  differs: [
    onlyCharts,
    'There a bridge connects two instances over the network. On one host, loopback replaces the network. The transports here always use the network, so this preset is the same as endurox-01, under the name of its figures. With ENDUROX_BRIDGE=1 the program of Enduro/X uses such a bridge (perf-battle help systems).',
    counts,
    fresh,
  ],
  settings: synchronous,
  lengthOf: lengthOfSynchronous,
  ...chart('02_tpcall_dom', 'networked call'),
});

const threads = preset({
  ...common,
  name: 'endurox-03',
  summary:
    'Five clients and five servers at once, with 131072 calls per client at one byte and at 1 to 53 KB. The rate is that of all clients together.',
  differs: [
    onlyCharts,
    measuredHere,
    'There the five clients are threads of one process; here they are processes, started together. RabbitMQ spreads the requests over five competing consumers. With the other transports each client has its own server.',
    'There the rate is the sum of the rates of the threads, each by its own clock. Here it is measured by the wall clock, from the first start to the last end. The record has the sum as summedMessagesPerSecond.',
    counts,
    'Versions of the driver differ in the number of calls per thread; here it is 131072. The driver starts at 1 KB and has no warm-up. Here one byte is measured too, and each size has a warm-up.',
  ],
  settings: {...synchronous, clients: [5], servers: [5]},
  lengthOf: () => ({samples: callsOfThread, warmUp: warmUpOf(warmUpCalls)}),
  ...chart('03_tpcall_threads', 'call, 5 clients and 5 servers'),
});

const oneWay = preset({
  ...common,
  name: 'endurox-04',
  summary:
    'One client sends one-way messages to one server, at one byte and at 1 to 53 KB: 163840, and five times as many below 20 KB, then one call with a reply. The sender measures the time until that reply.',
  differs: [
    onlyCharts,
    measuredHere,
    counts,
    'The number of calls can be read in two ways: twice as many below 10 KB, as in endurox-01, or five times as many below 20 KB. The driver of this part does the latter.',
    'The last call makes sure that all messages before it were processed, and its time counts. So this table has the figure of the sender. The other table has the figure of the receiver.',
    'HTTP is not included: each of its messages gets a response, which makes it a call. --transport can add it.',
    fresh,
  ],
  settings: {
    workload: ['stream'],
    transport: ['tcp', 'websocket', 'rabbitmq'],
    payloadBytes,
    closingCall: [true],
    deliveryMode: [1],
    rounds: 1,
  },
  lengthOf: ({payloadBytes: bytes}) => lengthOf(bytes, {samples: oneWayCalls(bytes), others: warmUpMessages}),
  ...chart('04_tpacall', 'one way, by the sender'),
});

const stored = preset({
  ...common,
  name: 'endurox-05',
  summary:
    'A persistent message into a durable queue and out of it again, 5000 times at one byte and at 1 to 53 KB: without publisher confirms, with confirms, and with AMQP transactions.',
  differs: [
    onlyCharts,
    'Enduro/X uses a distributed transaction for each message, which is in a file when the call returns. Its driver does not ask for a sync of that file (NDRX_XA_FLAGS=FSYNC would). RabbitMQ syncs with publisher confirms, and with a transaction of its own for each message in and out. Without both, it may deliver a message before it is on disk. All three are measured.',
    'Of the transports here only RabbitMQ stores messages. Enduro/X itself is measured where its programs are given (perf-battle help systems).',
    counts,
    'The driver of this part starts at 1 KB. Here one byte is measured too.',
    fresh,
  ],
  needs: ['rabbitmq'],
  settings: {
    workload: ['queue'],
    transport: ['rabbitmq'],
    payloadBytes,
    pairwise: [true],
    deliveryMode: [2],
    confirms: [false, true],
    transactions: [false, true],
    rounds: 1,
  },
  lengthOf: ({payloadBytes: bytes}) => lengthOf(bytes, {samples: pairs, others: warmUpPairs}),
  ...chart('05_persistent_storage', 'enqueue and dequeue', 'pairs/s'),
});

const cached = preset({
  ...common,
  name: 'endurox-06',
  summary: 'The calls of endurox-01, all answered from a client-side cache, at one byte and at 1 to 53 KB.',
  differs: [
    onlyCharts,
    'The cache of Enduro/X is a database of LMDB, at best on a RAM drive. It is measured where its programs are given (perf-battle help systems). The cache of the other transports is a map in the memory of the client, which does much less. --cache-in memory,lmdb adds a database of LMDB.',
    'The cache answers every call, so the transport does nothing. Raw TCP represents all transports; add others with --transport and --hit-ratio 0.9.',
    counts,
    fresh,
  ],
  settings: {...synchronous, workload: ['cached'], transport: ['tcp'], hitRatio: [1]},
  lengthOf: lengthOfSynchronous,
  ...chart('06_tpcache', 'cached call'),
});

export const enduroxBenchmarks = [local, networked, threads, oneWay, stored, cached];
