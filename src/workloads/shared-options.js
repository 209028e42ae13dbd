import {option} from '../options/option.js';
import {custom, decimal, integer, oneOf} from '../options/types.js';
import {isUnchecked} from '../payload/message-check.js';

/** @import {CpuRule} from '../results/types.js' */

/** Options of several workloads. Each workload declares in `dimensions` which options form separate cells, and their default values. */

/** Headings of the help. */
export const loadGroup = 'Load';
export const contentGroup = 'Content and checks';

export const window = option('window', {
  type: integer({minimum: 1, maximum: 100_000}),
  list: true,
  label: (value) => `window ${value}`,
  help: 'The maximum number of requests, or of unconfirmed messages, in flight. HTTP opens as many connections. Each workload has its own default.',
  helpFor: {faults: 'The maximum number of messages or requests that wait for an outcome. By default 64.'},
  needs: 'a workload with several messages in flight, such as pipeline, or --rate',
  group: loadGroup,
});

export const clients = option('clients', {
  type: integer({minimum: 1, maximum: 10_000}),
  default: 1,
  list: true,
  scope: 'battle',
  label: (value) => (value === 1 ? '1 client' : `${value} clients`),
  help: 'Client processes per trial, started together.',
  group: loadGroup,
});

export const servers = option('servers', {
  type: integer({minimum: 1, maximum: 10_000}),
  default: 1,
  list: true,
  scope: 'battle',
  label: (value) => (value === 1 ? '1 server' : `${value} servers`),
  help: 'Server processes per trial: competing consumers of one queue, or servers with the clients spread over them.',
  helpFor: {faults: 'Servers. A client that loses its server uses the next. By default one.'},
  needs: 'a workload with a server, and a broker or at least as many --clients',
  appliesTo: ({servers: count, usesAllServers}, {value}) => usesAllServers && count === Math.max(...value),
  group: loadGroup,
});

export const rate = option('rate', {
  type: {
    ...decimal({minimum: 0.01, maximum: 1_000_000}),
    allowed:
      'a number of messages per second from 0.01 to 1000000 (the clock does not resolve intervals below 1 µs)',
  },
  list: true,
  label: (value) => (value === null ? 'closed loop' : `${value}/s`),
  help: 'Open loop: send this many messages per second at fixed times, whether or not replies come back. A list is a sweep.',
  helpFor: {faults: 'Messages per second of the load. By default 500.'},
  group: loadGroup,
});

export const arrivals = option('arrivals', {
  type: oneOf(['constant', 'poisson']),
  default: 'constant',
  list: true,
  label: (value) => value,
  help: 'With a rate: equal times between messages, or exponentially distributed times.',
  needs: '--rate or --find-max-rate',
  group: loadGroup,
});

export const reply = option('reply', {
  key: 'answer',
  type: oneOf(['echo', 'increment', 'status', 'any']),
  default: 'echo',
  list: true,
  label: (value) => `${value} reply`,
  help: 'What the server replies with. echo: the bytes of the request; increment: each byte plus one (mod 256). A server of --url may reply with any content: status counts the replies that report success, any counts all replies. The default is status with --url, and echo otherwise.',
  alsoNeeds: 'and --url for any and status',
  appliesTo: ({isGivenServer}, {value}) => isGivenServer || [value].flat().some((one) => !isUnchecked(one)),
  group: contentGroup,
});

export const verify = option('verify', {
  type: custom('all, or a whole number k from 1 on: every k-th message', parseVerify, formatVerify),
  placeholder: 'all|N',
  default: 100,
  help: 'With several messages in flight: compare every byte of every N-th message. Length and sequence number are always checked.',
  needs: 'a workload with several messages in flight, such as pipeline, or --rate',
  group: contentGroup,
});

export const retries = option('retries', {
  type: integer({minimum: 0, maximum: 1000}),
  default: 0,
  help: 'How often a timed-out request is sent again before it counts as lost.',
  alsoNeeds: 'and no --rate',
  group: contentGroup,
});

/** Every message. */
const all = 1;

/** @param {string} text */
function parseVerify(text) {
  if (text.toLowerCase() === 'all') return all;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** @param {number} value */
function formatVerify(value) {
  return value === all ? 'all' : String(value);
}

/** Rules for the CPU time per message. Each workload selects a rule. */

/** Counts all roles, divided by all messages. @type {CpuRule} */
export const everyRole = {countsClient: true, countedAs: 'received'};

/** The client of an open loop spins its event loop to send on time, so its CPU time says nothing about the transport. @type {CpuRule} */
export const spinningClient = {countsClient: false, countedAs: 'received'};

/** A search also sends messages at rates that it does not report, so only the servers know how many messages were handled. @type {CpuRule} */
export const search = {countsClient: false, countedAs: 'served'};
