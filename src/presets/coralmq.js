import {publishedSources} from '../results/published/sources.js';
import {preset} from './preset.js';
import {warmUpUntilSettled} from './warm-ups.js';

const {title, url} = publishedSources['coralmq-numbers'];

export const coralmq = preset({
  name: 'coralmq',
  document: 'coralmq-numbers',
  title,
  url,
  summary:
    'A million round trips of 256 bytes on one host, one after the other, with mean and maximum of the fastest 75 to 99.999 per cent.',
  differs: [
    'CoralMQ sends UDP packets between two Java processes, and its queue itself is the other end. TCP, HTTP and WebSockets have two processes as well; RabbitMQ has three, for the broker stands between.',
    'Node.js turns an event loop and waits for the kernel; figures of a few microseconds are out of its reach, so what compares is the shape of the bands, not their height.',
    'The text does not say what its bands are. Their means lie below that of all messages, so a band is read as the fastest so many per cent: the mean of these, and the slowest of them.',
    'The published throughput is 1 divided by the mean round-trip time of a run of its own; here it is that of the same run.',
    'The text mentions no warm-up. Here each trial has one, whose round trips are not counted.',
    'A single run was published, and so there is a single trial here, which has no interval. --rounds 5 gives one, in five times the time.',
  ],
  needs: [],
  settings: {
    workload: ['rtt'],
    transport: ['tcp', 'http', 'websocket', 'rabbitmq'],
    payloadBytes: [256],
    answer: ['echo'],
    deliveryMode: [1],
    rounds: 1,
  },
  lengthOf: () => ({samples: 1_000_000, warmUp: warmUpUntilSettled}),
  minutes: 20,
  comparison: {figure: 'bands', what: 'RTT', isShown: () => true},
});
