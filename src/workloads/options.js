import {option} from '../options/option.js';
import {custom, decimal, duration, integer, oneOf, onOff, share} from '../options/types.js';

/**
 * The settings of the workloads. Which of them make cells of their own, and with which values unless the person says, is each
 * workload's to tell (`dimensions`); here they are read and named.
 */

const group = 'How much at once';
const content = 'What is sent and checked';

/** One of these in a variant is named in a row when it differs from its default. */
export const workloadOptions = [
  option('window', {
    type: integer({minimum: 1, maximum: 100_000}),
    list: true,
    label: (value) => `window ${value}`,
    help: 'Requests, or unconfirmed messages, in flight at most; HTTP keeps as many connections. Unless given, each workload has its own: pipeline 1, 16 and 256.',
    group,
  }),
  option('clients', {
    type: integer({minimum: 1, maximum: 10_000}),
    default: 1,
    list: true,
    scope: 'battle',
    label: (value) => (value === 1 ? '1 client' : `${value} clients`),
    help: 'Client processes of a trial, started together.',
    group,
  }),
  option('servers', {
    type: integer({minimum: 1, maximum: 10_000}),
    default: 1,
    list: true,
    scope: 'battle',
    label: (value) => (value === 1 ? '1 server' : `${value} servers`),
    help: 'Server processes of a trial: competing consumers of one queue, or servers over which the clients are spread.',
    group,
  }),
  option('rate', {
    type: {
      ...decimal({minimum: 0.01, maximum: 1_000_000}),
      allowed:
        'a number of messages per second from 0.01 to 1000000 (the clock cannot serve times less than 1 µs apart)',
    },
    list: true,
    label: (value) => (value === null ? 'closed loop' : `${value}/s`),
    help: 'Open loop: messages per second, sent at times fixed beforehand, whatever comes back (workloads rtt and stream). A list is a sweep.',
    group,
  }),
  option('arrivals', {
    type: oneOf(['constant', 'poisson']),
    default: 'constant',
    list: true,
    label: (value) => value,
    help: 'With a rate: equal distances between the messages, or exponentially distributed ones.',
    group,
  }),
  option('find-max-rate', {
    key: 'maxP99Ms',
    type: duration({minimumMs: 0.01, maximumMs: 600_000}),
    list: true,
    label: (value) => `p99 within ${value} ms`,
    help: 'Search the highest rate at which the p99 of the response time stays within this time: the workload max-rate, whose own bound is 10 ms.',
    group,
  }),
  option('reply', {
    key: 'answer',
    type: oneOf(['echo', 'increment']),
    default: 'echo',
    list: true,
    label: (value) => `${value} reply`,
    help: 'What the server answers: the bytes of the request, or each of them plus one (mod 256).',
    group: content,
  }),
  option('verify', {
    type: custom('all, or a whole number k from 1 on: every k-th message', parseVerify, formatVerify),
    default: 100,
    help: 'With more than one message in flight, of how many messages one has every byte compared; length and sequence number always are.',
    group: content,
  }),
  option('retries', {
    type: integer({minimum: 0, maximum: 1000}),
    default: 0,
    help: 'How often a request that timed out is sent again before it counts as lost.',
    group: content,
  }),
  option('pairwise', {
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'pairwise' : 'all in, all out'),
    help: 'The queue workload: one message in, the same out, one pair after the other.',
    group: content,
  }),
  option('closing-call', {
    key: 'closingCall',
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'closing call' : 'no closing call'),
    help: 'The stream workload: after the last message the client waits for the reply to one request more, and times itself until then, beside what the receiver times.',
    group: content,
  }),
  option('hit-ratio', {
    type: share({minimum: 0, maximum: 1}),
    default: 0.9,
    list: true,
    label: (value) => `${Number((value * 100).toFixed(4))} % hits`,
    help: 'The cached workload: the share of requests that the cache of the client answers.',
    group: content,
  }),
  option('rows', {
    type: integer({minimum: 1, maximum: 1_000_000}),
    list: true,
    label: (value) => `${value} rows`,
    help: 'The recordset workload: rows of an answer; 8, 504, 2679 and 72591 unless given.',
    group: content,
  }),
  option('delivery', {
    type: oneOf(['streamed', 'preloaded']),
    default: 'streamed',
    list: true,
    label: (value) => value,
    help: 'The recordset workload: rows sent in chunks while they are encoded, or encoded whole beforehand.',
    group: content,
  }),
];

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
