import {option} from '../options/option.js';
import {custom, decimal, integer, oneOf} from '../options/types.js';

/**
 * The options that several workloads take. Each workload declares which of them make cells of their own, and their default values
 * (`dimensions`).
 */

/** The headings in help. */
export const loadGroup = 'How much at once';
export const contentGroup = 'What is sent and checked';

export const window = option('window', {
  type: integer({minimum: 1, maximum: 100_000}),
  list: true,
  label: (value) => `window ${value}`,
  help: 'Requests, or unconfirmed messages, in flight at most; HTTP keeps as many connections. Unless given, each workload has its own: pipeline 1, 16 and 256.',
  needs: 'a workload with several messages in flight, such as pipeline, or --rate',
  group: loadGroup,
});

export const clients = option('clients', {
  type: integer({minimum: 1, maximum: 10_000}),
  default: 1,
  list: true,
  scope: 'battle',
  label: (value) => (value === 1 ? '1 client' : `${value} clients`),
  help: 'Client processes of a trial, started together.',
  group: loadGroup,
});

export const servers = option('servers', {
  type: integer({minimum: 1, maximum: 10_000}),
  default: 1,
  list: true,
  scope: 'battle',
  label: (value) => (value === 1 ? '1 server' : `${value} servers`),
  help: 'Server processes of a trial: competing consumers of one queue, or servers over which the clients are spread.',
  needs: 'a workload with a server',
  group: loadGroup,
});

export const rate = option('rate', {
  type: {
    ...decimal({minimum: 0.01, maximum: 1_000_000}),
    allowed:
      'a number of messages per second from 0.01 to 1000000 (the clock cannot serve times less than 1 µs apart)',
  },
  list: true,
  label: (value) => (value === null ? 'closed loop' : `${value}/s`),
  help: 'Open loop: messages per second, sent at times fixed beforehand, whatever comes back (workloads rtt and stream). A list is a sweep.',
  needs: 'the workload rtt or stream',
  group: loadGroup,
});

export const arrivals = option('arrivals', {
  type: oneOf(['constant', 'poisson']),
  default: 'constant',
  list: true,
  label: (value) => value,
  help: 'With a rate: equal distances between the messages, or exponentially distributed ones.',
  needs: '--rate, or the workload max-rate',
  group: loadGroup,
});

export const reply = option('reply', {
  key: 'answer',
  type: oneOf(['echo', 'increment']),
  default: 'echo',
  list: true,
  label: (value) => `${value} reply`,
  help: 'What the server answers: the bytes of the request, or each of them plus one (mod 256).',
  group: contentGroup,
});

export const verify = option('verify', {
  type: custom('all, or a whole number k from 1 on: every k-th message', parseVerify, formatVerify),
  default: 100,
  help: 'With more than one message in flight, of how many messages one has every byte compared; length and sequence number always are.',
  needs: 'a workload with several messages in flight, such as pipeline, or --rate',
  group: contentGroup,
});

export const retries = option('retries', {
  type: integer({minimum: 0, maximum: 1000}),
  default: 0,
  help: 'How often a request that timed out is sent again before it counts as lost.',
  group: contentGroup,
});

/** Every message. */
const all = 1;

/** @param {string} text @returns {number | undefined} */
function parseVerify(text) {
  if (text.toLowerCase() === 'all') return all;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** @param {number} value */
function formatVerify(value) {
  return value === all ? 'all' : String(value);
}
