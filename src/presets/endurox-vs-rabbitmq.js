import {publishedSources} from '../results/published/sources.js';
import {preset} from './preset.js';
import {warmUpOf} from './warm-ups.js';

const document = 'endurox-vs-rabbitmq';
const {title, url} = publishedSources[document];

const stepBytes = 32;
const lastStep = 127;
/** One byte, then 32 to 4064 bytes: 128 sizes. */
const payloadBytes = [1, ...Array.from({length: lastStep}, (_, index) => (index + 1) * stepBytes)];

/**
 * The driver of that text counts its steps from -2, the two warm-ups, to 127, and divides the calls by step + 3.
 * @param {number} calls
 * @param {number} bytes a size that is none of the text's counts as the step below it
 */
function callsOf(calls, bytes) {
  const step = Math.min(lastStep, Math.floor(bytes / stepBytes));
  return Math.floor(calls / (step + 3));
}

/** Both warm-ups are of one byte: all calls, then half of them. @param {number} calls @param {number} bytes @param {number} others */
function warmUp(calls, bytes, others) {
  return warmUpOf(bytes === 1 ? calls + calls / 2 : others);
}

const rpcCalls = 40_000;
const rpcWarmUp = 2000;
const oneWayCalls = 400_000;
const oneWayWarmUp = 20_000;

const notHere =
  'Enduro/X cannot run here. Raw TCP comes nearest to what it is beside RabbitMQ: two processes with no broker between, though it uses sockets and not kernel queues.';
const language = 'There both ends are written in Go, here in Node.js; the broker is a newer one.';
const oneRound =
  'Each size was run once there, and so it is here: a single trial has no interval. --rounds 5 gives one, in five times the time.';

const rpc = preset({
  name: 'endurox-rpc',
  document,
  title,
  url,
  summary:
    'Calls whose replies are the request with every byte one higher, at one byte and at 32 to 4064 bytes in steps of 32, every reply compared; RabbitMQ with manual and with automatic acknowledgement.',
  differs: [
    notHere,
    language,
    `The driver there warms up once, with 40000 and 20000 calls of one byte, and goes on in the same process. Here every size has fresh processes: the 60000 calls come before the first size, and each other size has ${rpcWarmUp} of its own before it is measured.`,
    'The driver there times all calls of a size together, making and checking of buffers included; here each call is timed by itself, and replies are compared between calls.',
    'The queues there are not durable. Here they always are; messages of delivery mode 1 are kept in memory all the same.',
    'Of its curves the text tells only a few points, most of them rounded; the CPU figures beside them are shares of a core by top and have no counterpart in the table.',
    oneRound,
  ],
  needs: [],
  settings: {
    workload: ['rtt'],
    transport: ['tcp', 'http', 'websocket', 'rabbitmq'],
    payloadBytes,
    answer: ['increment'],
    verify: 1,
    retries: 0,
    deliveryMode: [1],
    acknowledgement: ['manual', 'auto'],
    rounds: 1,
  },
  lengthOf: ({payloadBytes: bytes}) => ({
    samples: callsOf(rpcCalls, bytes),
    warmUp: warmUp(rpcCalls, bytes, rpcWarmUp),
  }),
  minutes: 25,
  comparison: {
    figure: 'rate',
    what: 'RPC',
    unit: 'calls/s',
    isShown: ({scenario}) => scenario.startsWith('RPC'),
  },
});

const oneWay = preset({
  name: 'endurox-oneway',
  document,
  title,
  url,
  summary:
    'Messages one way, at one byte and at 32 to 4064 bytes in steps of 32, with ten times the calls of endurox-rpc; the receiver times.',
  differs: [
    notHere,
    language,
    'The receiver there notices that a size is over when the first message of the next one arrives, so that one message too many is in each figure, and neither one byte nor the last size has one. Here each size has a trial of its own, timed from its first message to its last.',
    `Before the first size come 600000 messages of one byte that are not counted, as there; every other size has ${oneWayWarmUp} of its own, for its processes are fresh.`,
    'HTTP is left out: each of its messages is answered, which makes it a call. --transport names it if you want it.',
    'The text has its curves as a picture only; the one figure that it gives is by how much Enduro/X starts ahead of RabbitMQ.',
    oneRound,
  ],
  needs: [],
  settings: {
    workload: ['stream'],
    transport: ['tcp', 'websocket', 'rabbitmq'],
    payloadBytes,
    deliveryMode: [1],
    acknowledgement: ['auto'],
    rounds: 1,
  },
  lengthOf: ({payloadBytes: bytes}) => ({
    samples: callsOf(oneWayCalls, bytes),
    warmUp: warmUp(oneWayCalls, bytes, oneWayWarmUp),
  }),
  minutes: 10,
  comparison: {
    figure: 'rate',
    what: 'one way',
    unit: 'msg/s',
    isShown: ({scenario}) => scenario.startsWith('one-way'),
  },
});

export const enduroxVsRabbitmq = [rpc, oneWay];
