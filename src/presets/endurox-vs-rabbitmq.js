import {preset, warmUpOf} from './preset.js';

const document = 'endurox-vs-rabbitmq';
const stepBytes = 32;
const lastStep = 127;
/** One byte, then 32 to 4064 bytes: 128 sizes. */
const payloadBytes = [1, ...Array.from({length: lastStep}, (_, index) => (index + 1) * stepBytes)];

/**
 * The driver of the text counts its steps from -2, the two warm-ups, to 127, and divides the calls by step + 3.
 * @param {number} calls @param {number} bytes a size between two steps counts as the lower step
 */
function callsOf(calls, bytes) {
  const step = Math.min(lastStep, Math.floor(bytes / stepBytes));
  return Math.floor(calls / (step + 3));
}

/** The text has two warm-ups of one byte: with all calls, then with half of them. @param {number} calls @param {number} bytes @param {number} others */
function warmUp(calls, bytes, others) {
  return warmUpOf(bytes === 1 ? calls + calls / 2 : others);
}

const rpcCalls = 40_000;
const rpcWarmUp = 2000;
const oneWayCalls = 400_000;
const oneWayWarmUp = 20_000;

const measuredHere =
  'Enduro/X is measured here where its programs are given (perf-battle help systems), by programs in C. Without these programs, raw TCP is the closest to it: two processes without a broker, although with sockets instead of kernel queues.';
const language = 'There both ends are written in Go, here in Node.js.';

const rpc = preset({
  name: 'endurox-rpc',
  document,
  summary:
    'Calls with replies in which every byte is one higher, at one byte and at 32 to 4064 bytes in steps of 32. Every reply is compared. RabbitMQ runs with manual and with automatic acknowledgement.',
  differs: [
    measuredHere,
    language,
    `The original driver warms up once, with 40000 and 20000 calls of one byte, and measures all sizes in the same process. Here every size has fresh processes: the 60000 calls precede the first size, and ${rpcWarmUp} calls precede each other size.`,
    'The original driver times all calls of a size together, including the creation and the check of buffers. Here each call is timed separately, and replies are compared between calls.',
    'The queues there are not durable. Here they always are, but messages of delivery mode 1 are still kept in memory.',
    'The text gives only a few points of its curves, most of them rounded, and neither the version of Enduro/X nor that of RabbitMQ.',
    'Its CPU figures are those that top showed at one moment, in per cent of one core. Here they are averages over the measured part.',
    'The stall of 90 s is the time limit of a call whose server was killed. No process is killed here.',
  ],
  needs: [],
  settings: {
    workload: ['rtt'],
    transport: ['tcp', 'http', 'websocket', 'rabbitmq'],
    serverLibrary: ['express'],
    payloadBytes,
    pairPer: 'cell',
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
  comparison: {
    figure: 'rate',
    what: 'RPC',
    unit: 'calls/s',
    hasCpu: true,
    isShown: ({scenario}) => !scenario.startsWith('one-way'),
  },
});

const oneWay = preset({
  name: 'endurox-oneway',
  document,
  summary:
    'One-way messages, at one byte and at 32 to 4064 bytes in steps of 32, ten times as many as the calls of endurox-rpc. The receiver measures the time.',
  differs: [
    measuredHere,
    language,
    'The original receiver notices the end of a size by the first message of the next one. So each figure includes one message too many, and one byte and the last size have no figure. Here each size has its own trial, timed from its first message to its last.',
    `As there, 600000 messages of one byte precede the first size and do not count. Every other size has fresh processes, so ${oneWayWarmUp} messages of its own precede it.`,
    'HTTP is not included: each of its messages gets a response, which makes it a call. --transport can add it.',
    'The text shows its curves only as a picture. Its one figure is how far Enduro/X starts ahead of RabbitMQ.',
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
  comparison: {
    figure: 'rate',
    what: 'one way',
    unit: 'msg/s',
    isShown: ({scenario}) => scenario.startsWith('one-way'),
  },
});

export const enduroxVsRabbitmq = [rpc, oneWay];
