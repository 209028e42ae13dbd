import {publishedSources} from '../results/published/sources.js';
import {preset} from './preset.js';
import {warmUpUntilSettled} from './warm-ups.js';

const {title, url} = publishedSources['perf-battle-readme'];

/**
 * The table that this program is named for, with the libraries as they behaved by default in 2016.
 */
export const perfBattle2016 = preset({
  name: 'perf-battle-2016',
  document: 'perf-battle-readme',
  title,
  url,
  summary:
    '5000 round trips at each of 1, 100, 500 and 1000 KB over HTTP, WebSockets and RabbitMQ in both delivery modes, set up as libraries were by default in 2016: no keep-alive, an ETag over each reply, per-message deflate, Nagle on.',
  differs: [
    'The machines are others: the published rows come from EC2 instances of 2016 with RabbitMQ 3.5.0 and Node.js 5.4.1, most of them with client and server on hosts of their own.',
    'Nagle stays on because amqplib leaves it on; --tcp-no-delay off is one switch for all sockets, so it holds for HTTP, WebSockets and the raw TCP floor too.',
    'That text does not say what the payloads hold or which libraries sent them. Here they are pseudo-random bytes, which deflate cannot shorten, sent with express, ws and amqplib; the scripts that stand beside it repeat one letter and use bare node:http, socket.io and the amqp library (--http-server node, with --http-etag off, comes nearer).',
    'The text mentions no warm-up. Here each trial has one, whose round trips are not in the mean.',
    'Every cell was measured once, and so it is here: a single trial has no interval. --rounds 5 gives one, in five times the time.',
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
    etag: [true],
    deflate: [true],
    noDelay: [false],
    rounds: 1,
  },
  lengthOf: () => ({samples: 5000, warmUp: warmUpUntilSettled}),
  minutes: 15,
  comparison: {figure: 'mean', what: 'mean RTT', isShown: () => true},
});
