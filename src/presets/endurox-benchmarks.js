import {publishedSources} from '../results/published/sources.js';
import {preset} from './preset.js';
import {warmUpOf} from './warm-ups.js';

/**
 * @import {DocumentName} from '../results/published/sources.js'
 * @import {Comparison, Preset} from './preset.js'
 */

const document = 'endurox-benchmark-doc';
const {title, url} = publishedSources[document];

const kilobyte = 1024;
/** One byte, then 1 to 53 KB: 15 sizes. */
const payloadBytes = [1, ...Array.from({length: 14}, (_, index) => (1 + 4 * index) * kilobyte)];

const calls = 163_840;
const callsOfThread = 131_072;
const pairs = 5000;

/** Twice as many where they are quick. @param {number} bytes */
function synchronousCalls(bytes) {
  return bytes < 10 * kilobyte ? 2 * calls : calls;
}

/** Five times as many where they are quick. @param {number} bytes */
function oneWayCalls(bytes) {
  return bytes < 20 * kilobyte ? 5 * calls : calls;
}

/**
 * The driver runs the first size twice and keeps the second; after that its process is warm. Here each size has fresh processes.
 * @param {number} bytes
 * @param {{samples: number, others: number}} counts others: what the other sizes warm up with
 */
function lengthOf(bytes, {samples, others}) {
  return {samples, warmUp: warmUpOf(bytes === 1 ? samples : others)};
}

const warmUpCalls = 2000;
const warmUpMessages = 20_000;
const warmUpPairs = 500;

const onlyCharts =
  'The text shows its results as charts without numbers, so there are none to stand beside ours.';
const notHere =
  'Enduro/X cannot run here; its calls go through kernel queues or shared memory between C programs. What the transports here have in common with it is what is asked of them.';
const counts =
  'The text tells neither sizes nor numbers of calls; they are those of the drivers that belong to it (1 byte, then 1 to 53 KB in steps of 4).';
const oneRound =
  'Each size was run once there, and so it is here: a single trial has no interval. --rounds 5 gives one, in five times the time.';
const fresh =
  'The driver measures the first size twice and keeps the second run. Here the first size is warmed up with as many messages as are measured, and every other one, for its processes are fresh, with fewer of its own.';

const request = /** @type {const} */ (['tcp', 'http', 'websocket', 'rabbitmq']);

/** What all of them have in common. */
const common = {
  document: /** @type {DocumentName} */ (document),
  title,
  url,
  needs: /** @type {string[]} */ ([]),
};

/** @param {string} what @param {string} unit @returns {Comparison} */
function rateOf(what, unit = 'calls/s') {
  return {figure: 'rate', what, unit, isShown: () => true};
}

const synchronous = /** @type {const} */ ({
  workload: ['rtt'],
  transport: request,
  payloadBytes,
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
    'One client and one server on one host, a call and its reply at a time, at one byte and at 1 to 53 KB: 163840 calls, twice as many below 10 KB.',
  differs: [onlyCharts, notHere, counts, fresh, oneRound],
  settings: synchronous,
  lengthOf: lengthOfSynchronous,
  minutes: 70,
  comparison: rateOf('local call'),
});

const networked = preset({
  ...common,
  name: 'endurox-02',
  summary:
    'The calls of endurox-01 between two instances that are joined by the network, at one byte and at 1 to 53 KB.',
  differs: [
    onlyCharts,
    'There two instances are joined by a bridge over the network. On one host loopback stands in for the network, and the transports here are networked anyway, so that this is endurox-01 once more, under the name that its figures belong to.',
    counts,
    fresh,
    oneRound,
  ],
  settings: synchronous,
  lengthOf: lengthOfSynchronous,
  minutes: 70,
  comparison: rateOf('networked call'),
});

const threads = preset({
  ...common,
  name: 'endurox-03',
  summary:
    'Five clients and five servers at once, 131072 calls of each client at one byte and at 1 to 53 KB; the rate is that of all together.',
  differs: [
    onlyCharts,
    notHere,
    'The five clients there are threads of one process; here they are processes, started together. RabbitMQ spreads the requests over five competing consumers, the other transports give each client a server of its own.',
    'The rate there is the sum of what the threads had, each by its own clock. Here it is by the wall clock, from the first begin to the last end; the sum stands in the record as summedMessagesPerSecond.',
    counts,
    'How many calls a thread makes differs between versions of that driver; 131072 are taken here. It begins at 1 KB and has no warm-up; here there is one byte too, and a warm-up before each size.',
    oneRound,
  ],
  settings: {...synchronous, clients: [5], servers: [5]},
  lengthOf: () => ({samples: callsOfThread, warmUp: warmUpOf(warmUpCalls)}),
  minutes: 110,
  comparison: rateOf('call, 5 clients and 5 servers'),
});

const oneWay = preset({
  ...common,
  name: 'endurox-04',
  summary:
    'One client sends one server messages one way, at one byte and at 1 to 53 KB: 163840, five times as many below 20 KB, then one call with a reply; the sender times until that reply.',
  differs: [
    onlyCharts,
    notHere,
    counts,
    'The numbers of calls can be read in two ways, doubled below 10 KB as in endurox-01 or five times as many below 20 KB; the driver of this part does the latter alone.',
    'The last call is there to be sure that all messages before it were processed, and its time counts. The figure in the table is therefore that of the sender; what the receiver timed stands in the other table.',
    'HTTP is left out: each of its messages is answered, which makes it a call. --transport names it if you want it.',
    fresh,
    oneRound,
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
  minutes: 15,
  comparison: rateOf('one way, by the sender'),
});

const stored = preset({
  ...common,
  name: 'endurox-05',
  summary:
    'A message into a durable queue and out of it again, 5000 times at one byte and at 1 to 53 KB, persistent, with and without publisher confirms.',
  differs: [
    onlyCharts,
    'The queue of Enduro/X is a distributed transaction for each message, which is on the disk when the call returns. With publisher confirms RabbitMQ promises as much; without them it hands a message out before it is on the disk. Both are measured.',
    'Only a broker keeps messages, so RabbitMQ is the only transport here.',
    counts,
    'The driver of this part begins at 1 KB; here there is one byte too.',
    fresh,
    oneRound,
  ],
  needs: ['rabbitmq'],
  settings: {
    workload: ['queue'],
    transport: ['rabbitmq'],
    payloadBytes,
    pairwise: [true],
    deliveryMode: [2],
    confirms: [false, true],
    rounds: 1,
  },
  lengthOf: ({payloadBytes: bytes}) => lengthOf(bytes, {samples: pairs, others: warmUpPairs}),
  minutes: 10,
  comparison: rateOf('enqueue and dequeue', 'pairs/s'),
});

const cached = preset({
  ...common,
  name: 'endurox-06',
  summary:
    'The calls of endurox-01, all of them answered from a cache on the side of the client, at one byte and at 1 to 53 KB.',
  differs: [
    onlyCharts,
    'Enduro/X keeps its cache in a database, best on a RAM drive; here it is a map in the memory of the client, which does much less.',
    'With every call answered there, no transport has anything to do. One of them, raw TCP, stands for all; --transport and --hit-ratio 0.9 bring in the others.',
    counts,
    fresh,
    oneRound,
  ],
  settings: {...synchronous, workload: ['cached'], transport: ['tcp'], hitRatio: [1]},
  lengthOf: lengthOfSynchronous,
  minutes: 1,
  comparison: rateOf('cached call'),
});

export const enduroxBenchmarks = [local, networked, threads, oneWay, stored, cached];
