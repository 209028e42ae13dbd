import {automaticWarmUp} from '../measure/warm-up.js';
import {publishedSources} from '../results/published/sources.js';
import {preset} from './preset.js';

const {title, url} = publishedSources['coralmq-numbers'];

export const coralmq = preset({
  name: 'coralmq',
  document: 'coralmq-numbers',
  title,
  url,
  summary:
    'A million round trips of 256 bytes on one host, one after the other, with the mean and the maximum of the fastest 75 to 99.999 percent.',
  differs: [
    'CoralMQ sends UDP packets between two Java processes, and the queue itself is one of them. TCP, HTTP and WebSockets also have two processes. RabbitMQ has three, because the broker is between client and server.',
    'Node.js runs an event loop and waits for the kernel, so it cannot reach a few microseconds. Compare the shape of the bands, not their values.',
    'The text does not define its bands. Their means are below the mean of all messages, so a band is taken as the fastest messages up to that percentage: their mean and their maximum.',
    'The published throughput is 1 divided by the mean round-trip time of a separate run; here both come from the same run.',
    'The text mentions no warm-up. Here each trial has one, and its round trips do not count.',
  ],
  needs: [],
  settings: {
    workload: ['rtt'],
    transport: ['tcp', 'http', 'websocket', 'rabbitmq'],
    serverLibrary: ['express'],
    payloadBytes: [256],
    answer: ['echo'],
    deliveryMode: [1],
    rounds: 1,
  },
  lengthOf: () => ({samples: 1_000_000, warmUp: automaticWarmUp}),
  comparison: {figure: 'bands', what: 'RTT', isShown: () => true},
});
