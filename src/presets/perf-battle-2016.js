import {automaticWarmUp} from '../measure/warm-up.js';
import {preset} from './preset.js';

/** The table of the original perf-battle, with the library defaults of 2016, and with the settings of a competent user today. */
export const perfBattle2016 = preset({
  name: 'perf-battle-2016',
  document: 'perf-battle-readme',
  summary:
    '5000 round trips at 1, 100, 500 and 1000 KB over HTTP, WebSocket and RabbitMQ in both delivery modes. The same rounds have the library defaults of 2016 (no keep-alive, an ETag for each reply, per-message deflate, Nagle on) and the settings of today.',
  differs: [
    'The machines differ: the published rows come from EC2 instances of 2016 with RabbitMQ 3.5.0 and Node.js 5.4.1. In most rows, client and server ran on separate hosts.',
    'The preset measures each transport twice: with the library defaults of 2016, and with the settings of a competent user today (keep-alive, undici, no ETag, no compression, TCP_NODELAY). Each of the two has its own raw TCP floor.',
    'In the rows as of 2016, Nagle is on because amqplib leaves it on. --tcp-no-delay off applies to all sockets, so it also affects HTTP, WebSocket and the raw TCP floor.',
    'The text does not state the content of the payloads or the libraries. Here the payloads are pseudo-random bytes, which deflate cannot shorten, sent with express, ws and amqplib. The scripts published with the text repeat one letter and use node:http, socket.io and the amqp library; --http-server node with --http-etag off is closer to these scripts.',
    'The text mentions no warm-up. Here each trial has one, and its round trips do not count.',
  ],
  needs: [],
  settings: {
    workload: ['rtt'],
    transport: ['http', 'websocket', 'rabbitmq'],
    payloadBytes: [1024, 102_400, 512_000, 1_024_000],
    answer: ['echo'],
    deliveryMode: [1, 2],
    keepAlive: [false],
    serverLibrary: ['express'],
    clientLibrary: ['node'],
    etag: [true],
    deflate: [true],
    noDelay: [false],
    keepMemory: [false],
    rounds: 1,
  },
  today: {
    keepAlive: [true],
    clientLibrary: ['undici'],
    etag: [false],
    deflate: [false],
    noDelay: [true],
    keepMemory: [true],
  },
  lengthOf: () => ({samples: 5000, warmUp: automaticWarmUp}),
  comparison: {figure: 'mean', what: 'mean RTT', isShown: () => true},
});
