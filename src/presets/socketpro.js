import {publishedSources} from '../results/published/sources.js';
import {preset} from './preset.js';
import {warmUpUntilSettled} from './warm-ups.js';

const document = 'socketpro-vs-wcf-rabbitmq';
const {title, url} = publishedSources[document];

/** @param {number} rounds */
const roundsOf = (rounds) =>
  `That text ran everything once; here there are ${rounds} rounds, which give an interval and still end soon.`;
const systems =
  'SocketPro and WCF are .NET libraries on Windows; none of the transports here is either of them, so their rows show the distance, not a contest.';

const echo = preset({
  name: 'socketpro-echo',
  document,
  title,
  url,
  summary:
    '10000 small requests and their replies, once with one outstanding (sync) and once with up to 256 (async, batched).',
  differs: [
    systems,
    'The text does not say how long the echoed string is. Here it is 16 bytes: the sample code that belongs to the text echoes eight characters, which .NET keeps in 16 bytes, and 16 is the least that can carry a sequence number.',
    'Nor does it say how many requests of a batch are under way at once. Here a window of 256 is chosen; the sample hands over all 10000 before it waits.',
    'SocketPro packs the requests of a batch together. Here only the kernel does so, when several lie in the buffer of a socket; HTTP uses as many connections as the window is wide.',
    'Each trial here has a warm-up that is not counted; the text mentions none.',
    roundsOf(5),
  ],
  needs: [],
  settings: {
    workload: ['pipeline'],
    transport: ['tcp', 'http', 'websocket', 'rabbitmq'],
    payloadBytes: [16],
    window: [1, 256],
    answer: ['echo'],
    verify: 100,
    deliveryMode: [1],
    rounds: 5,
  },
  lengthOf: () => ({samples: 10_000, warmUp: warmUpUntilSettled}),
  minutes: 3,
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
  title,
  url,
  summary:
    '100 requests that are each answered with a table of 8, 504, 2679 or 72591 rows, one outstanding (sync) or up to 16 (async), streamed while it is encoded or preloaded whole.',
  differs: [
    systems,
    'There is no database here: the rows are synthetic and only have the number and the size of those of the four tables. The time that SQL Server took is in the published figures and cannot be told apart.',
    'Streamed stands for the reader of SocketPro, preloaded for the DataTable of WCF, which is filled before it is sent.',
    'The text does not say how many requests of a batch are under way at once; a window of 16 is chosen here.',
    'Each trial here has a warm-up that is not counted; the text mentions none.',
    roundsOf(3),
  ],
  needs: [],
  settings: {
    workload: ['recordset'],
    transport: ['tcp', 'http', 'websocket', 'rabbitmq'],
    rows: [8, 504, 2679, 72_591],
    window: [1, 16],
    delivery: ['streamed', 'preloaded'],
    verify: 100,
    deliveryMode: [1],
    rounds: 3,
  },
  lengthOf: () => ({samples: 100, warmUp: warmUpUntilSettled}),
  minutes: 20,
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
  title,
  url,
  summary:
    '100000 persistent messages of 200, 1024 and 10240 bytes into a durable queue of RabbitMQ, then all of them out of it, with automatic acknowledgement and without publisher confirms.',
  differs: [
    'The RabbitMQ rows are the ones to compare: the same broker, years apart, driven from .NET there and from Node.js here. SocketPro’s queue cannot run here.',
    'The text does not say when its enqueuing ends; in the sample code that belongs to it, when the last call returns. Here it ends when the connection has handed over everything, which is later.',
    'The text says automatic acknowledgement, and so it is here. The sample acknowledges each message by itself with a prefetch of one, which would explain why its dequeuing is slow; --rabbitmq-ack manual --rabbitmq-prefetch 1 does the same.',
    'Characters are taken as bytes: the sample sends plain ASCII text as UTF-8. Here they are pseudo-random bytes.',
    'For the cross-machine rows the figure gives the network as 1 Gbps, the text above it as 100 Mbps.',
    roundsOf(5),
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
  lengthOf: () => ({samples: 100_000, warmUp: warmUpUntilSettled}),
  minutes: 5,
  comparison: {
    figure: 'total',
    what: '100000 durable',
    messages: 100_000,
    isShown: ({scenario}) => scenario.endsWith('durable'),
  },
});

export const socketproPresets = [echo, recordset, queue];
