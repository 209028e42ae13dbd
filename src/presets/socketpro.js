import {automaticWarmUp} from '../measure/warm-up.js';
import {preset} from './preset.js';

const document = 'socketpro-vs-wcf-rabbitmq';
const ifGiven =
  'The published rows are of .NET on Windows. SocketPro is measured here where its programs are given, from Python on Linux. WCF is not measured, because the WCF of Mono waits 50 ms for each message (perf-battle help systems).';

const echo = preset({
  name: 'socketpro-echo',
  document,
  summary:
    '10000 small requests with replies, once one at a time (sync) and once with up to 256 in flight (async, batched).',
  differs: [
    ifGiven,
    'The text does not state the length of the echoed string. Here it is 16 bytes: the sample code of the text echoes eight characters, which take 16 bytes in .NET, and a sequence number needs at least 16 bytes.',
    'The text does not state how many requests of a batch are in flight. Here the window is 256; the sample code sends all 10000 before it waits.',
    'SocketPro packs the requests of a batch together. Here only the kernel packs requests together, when several are in the buffer of a socket. HTTP uses one connection per request in the window.',
    'Each trial here has a warm-up that does not count. The text mentions none.',
  ],
  needs: [],
  settings: {
    workload: ['pipeline'],
    transport: ['tcp', 'http', 'websocket', 'rabbitmq'],
    serverLibrary: ['express'],
    payloadBytes: [16],
    window: [1, 256],
    answer: ['echo'],
    verify: 100,
    deliveryMode: [1],
    rounds: 5,
  },
  lengthOf: () => ({samples: 10_000, warmUp: automaticWarmUp}),
  comparison: {
    figure: 'total',
    what: 'Echo x10000',
    messages: 10_000,
    isShown: ({scenario}) => scenario.startsWith('Echo'),
  },
});

const recordset = preset({
  name: 'socketpro-recordset',
  document,
  summary:
    '100 requests, each answered with a table of 8, 504, 2679 or 72591 rows, one at a time (sync) or with up to 16 in flight (async). The table is streamed while it is encoded, or preloaded as a whole.',
  differs: [
    ifGiven,
    'SocketPro streams the rows of a table of SQLite here, in the memory of its service.',
    'There is no database here, unless --rows-from sqlite is added: the rows are synthetic, with the number and the size of the rows of the four tables. The published figures include the time of SQL Server, which cannot be separated.',
    'Streamed corresponds to the reader of SocketPro, and preloaded to the DataTable of WCF, which is filled before it is sent.',
    'The text does not state how many requests of a batch are in flight. Here the window is 16.',
    'Each trial here has a warm-up that does not count. The text mentions none.',
  ],
  needs: [],
  settings: {
    workload: ['recordset'],
    transport: ['tcp', 'http', 'websocket', 'rabbitmq'],
    serverLibrary: ['express'],
    rows: [8, 504, 2679, 72_591],
    window: [1, 16],
    delivery: ['streamed', 'preloaded'],
    verify: 100,
    deliveryMode: [1],
    rounds: 3,
  },
  lengthOf: () => ({samples: 100, warmUp: automaticWarmUp}),
  comparison: {
    figure: 'total',
    what: 'record set x100',
    messages: 100,
    isShown: ({scenario}) => scenario.includes(' rows '),
  },
});

const queue = preset({
  name: 'socketpro-queue',
  document,
  summary:
    '100000 persistent messages of 200, 1024 and 10240 bytes into a durable queue of RabbitMQ, then out of it, with automatic acknowledgement and without publisher confirms.',
  differs: [
    'Compare the RabbitMQ rows: the same broker, years apart, with a .NET client there and a Node.js client here. The example of perf-battle help adapter-contract adds a .NET client on Mono, which acknowledges as the sample code does. The queue of SocketPro is measured where its programs are given (perf-battle help systems), from Python on Linux.',
    'The text does not state when its enqueuing ends. In its sample code it ends when the last call returns. Here it ends when the connection has sent everything, which is later.',
    'The text states automatic acknowledgement, as here. Its sample code acknowledges each message with a prefetch of one, which would explain its slow dequeuing; --rabbitmq-ack manual --rabbitmq-prefetch 1 does the same.',
    'Characters count as bytes: the sample code sends ASCII text as UTF-8. Here the payloads are pseudo-random bytes.',
    'For the cross-machine rows, the figure states a network of 1 Gbps, and the text above it 100 Mbps.',
  ],
  needs: ['rabbitmq'],
  settings: {
    workload: ['queue'],
    transport: ['rabbitmq'],
    payloadBytes: [200, 1024, 10_240],
    pairwise: [false],
    deliveryMode: [2],
    acknowledgement: ['auto'],
    confirms: [false],
    rounds: 5,
  },
  lengthOf: () => ({samples: 100_000, warmUp: automaticWarmUp}),
  comparison: {
    figure: 'total',
    what: '100000 durable',
    messages: 100_000,
    isShown: ({scenario}) => scenario.endsWith('durable'),
  },
});

export const socketproPresets = [echo, recordset, queue];
