import {automaticWarmUp} from '../measure/warm-up.js';
import {option} from '../options/option.js';
import {
  bytes,
  custom,
  duration,
  file,
  hostName,
  hostNames,
  integer,
  oneOf,
  onOff,
  withRanges,
} from '../options/types.js';
import {ownRuntime, parseRuntimes, runtimesLabel} from '../packages/runtimes.js';
import {maxPayloadBytes, payloadFileLimits} from '../payload/bytes.js';
import {defaultWorkload, workloadNames, workloads} from '../workloads/index.js';
import {hasRemotePair, hasRemoteRoles, where} from './host-options.js';

/** @import {WarmUp} from '../measure/types.js' */

const what = 'What is measured';
const script = 'A pair by hand';
const byHand = /** @type {const} */ ({scope: 'script', group: script});
const ofAll = /** @type {const} */ ({list: true, group: 'Settings of all transports'});

/** The seed has no default: it is drawn when the options are read, so all other code gets a number. @type {number} */
const drawnAnew = /** @type {any} */ (null);

/** How long a trial in slices is measured until the variances of its cell are known, if the user leaves it open. */
export const firstMs = 250;

export const payload = option('payload', {
  short: 'p',
  environmentName: 'PB_PAYLOAD_BYTES',
  key: 'payloadBytes',
  type: withRanges(bytes({minimum: 1, maximum: maxPayloadBytes})),
  default: 1024,
  battleDefault: [1, 100, 500, 1000].map((kilobytes) => kilobytes * 1024),
  list: true,
  brief: 'size of the request and of its reply',
  help: 'Size of the request and of its reply.',
  needs: 'a workload that sends payloads of a given size',
  helpFor: {faults: 'The size of a message. By default 1kb.'},
  group: what,
});

export const samples = option('samples', {
  type: integer({minimum: 1, maximum: 1_000_000_000}),
  help: 'Messages per trial, instead of a duration. Scripts run by hand default to 5000, unless a duration is given.',
  needs: 'a workload that ends after a given number of messages',
  group: what,
});

export const length = option('duration', {
  key: 'durationMs',
  type: duration({minimumMs: 10, maximumMs: 3_600_000}),
  help: `How long each trial is measured. By default 1 s; in slices ${firstMs} ms in the first three rounds, and then the time that narrows the intervals of ratios most for its cost.`,
  needs: 'a workload that ends after a given time',
  group: what,
});

export const warmUp = option('warmup', {
  key: 'warmUp',
  type: custom(
    'auto, a time with its unit such as 500ms, or a whole number of round trips up to 1000000',
    parseWarmUp,
    formatWarmUp,
  ),
  placeholder: 'TIME|N',
  default: automaticWarmUp,
  help: `Round trips before each trial that do not count. auto: each pair of processes first sends ${automaticWarmUp.requests} requests of 1kb, for at most ${automaticWarmUp.maximumMs / 1000} s. Each payload size then takes ${automaticWarmUp.sizeMs} ms, from 100kb up ${automaticWarmUp.largeSizeMs} ms, and in slices another ${automaticWarmUp.turnMs} ms in turn with the others, from 100kb to below 500kb ${automaticWarmUp.mediumTurnMs} ms. A number without a unit is a number of round trips.`,
  group: what,
});

export const commonOptions = [
  payload,
  option('payload-file', {
    type: file('the path of a file of 1 byte to 128 MB', payloadFileLimits),
    help: 'Send the content of this file instead of seeded pseudo-random bytes. The first 8 bytes are replaced by a sequence number.',
    needs: 'a workload that sends payloads of a given size',
    group: what,
  }),
  option('workload', {
    type: oneOf(workloadNames),
    default: defaultWorkload,
    list: true,
    brief: `what is sent, and when; ${defaultWorkload} by default`,
    help: `What is sent, and when. ${Object.values(workloads)
      .map(({name, summary}) => `${name}: ${summary}`)
      .join('; ')}.`,
    helpFor: {
      faults: `What is sent. By default messages into a queue, or requests where a transport has none. Not taken: ${Object.values(
        workloads,
      )
        .filter(({withoutFaults}) => withoutFaults !== undefined)
        .map(({name}) => name)
        .join(', ')}.`,
    },
    group: what,
  }),
  samples,
  length,
  warmUp,
  option('timeout', {
    key: 'timeoutMs',
    type: duration({minimumMs: 10, maximumMs: 600_000}),
    default: 10_000,
    help: 'A request without a reply within this time counts as timed out.',
    helpFor: {
      faults:
        'If the oldest message has no outcome within this time, the client gives up its connection. Some faults and transports have a shorter default; --print-config shows it.',
    },
    group: what,
  }),
  option('seed', {
    type: integer({minimum: 0, maximum: Number.MAX_SAFE_INTEGER}),
    default: drawnAnew,
    help: 'The same seed gives the same order of cells, payload bytes and random arrivals. By default a random seed, which is shown and recorded.',
    helpFor: {
      faults:
        'The same seed gives the same payload bytes and the same random times of faults. By default a random seed, which is recorded.',
    },
    group: what,
  }),
  option('tcp-no-delay', {
    ...ofAll,
    key: 'noDelay',
    type: onOff,
    default: true,
    label: (value) => (value ? 'no delay' : 'Nagle on'),
    help: 'Set TCP_NODELAY on every socket of every transport.',
  }),
  option('keep-memory', {
    ...ofAll,
    type: onOff,
    default: true,
    label: (value) => (value ? 'memory kept' : 'memory returned'),
    help: 'Roles keep the memory that they have freed (glibc: MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_), and collect garbage as often as a larger process does (V8: --heap-growing-percent). off: the defaults of glibc and V8. A small process may then map its memory again, or collect all garbage, every few large messages.',
  }),
  option('cores', {
    type: oneOf(['awake', 'sleeping']),
    default: 'awake',
    group: where,
    help: 'awake: keep the cores awake during the measurement, as on a server with other callers: idle cores poll for work, or loops of the lowest priority use them. sleeping: let the system decide, so that a round trip includes the time to wake a core. By default no loops run where processes have no cores of their own, and cores sleep on EC2 instances with CPU credits. A client by hand lets idle cores poll, if it may.',
  }),
  option('profile', {
    ...ofAll,
    type: onOff,
    default: false,
    scope: 'battle',
    label: (value) => (value ? 'profiled' : null),
    implied: false,
    help: 'Write a CPU profile of the measured part of each trial for each role, into the folder profiles next to the results. Taking the samples costs CPU time.',
  }),
  option('runtime', {
    ...ofAll,
    type: {
      allowed: 'node, bun or deno, each also with @VERSION; CLIENT/SERVER for two different ones',
      placeholder: 'NAME[@VERSION]',
      parse: parseRuntimes,
      format: String,
    },
    default: ownRuntime,
    scope: 'battle',
    label: runtimesLabel,
    implied: ownRuntime,
    help: 'What runs the roles: node (the Node.js that runs perf-battle), node@VERSION, bun or deno. npm provides the last three once, in the newest version that fits. bun/node runs the clients in Bun and the servers in Node.js.',
    needs: 'roles of perf-battle on this host',
    appliesTo: (_, settings) => !hasRemotePair(settings),
  }),
  option('server-port', {
    type: integer({minimum: 0, maximum: 65_535}),
    default: 3000,
    battleDefault: 0,
    help: 'Port of a server that clients connect to directly. 0: any free port, the default of a battle.',
    needs: 'a workload with a server, and a transport that connects to it directly',
    appliesTo: ({hasServer, broker}) => hasServer && broker === null,
    group: script,
  }),
  option('server-address', {
    environmentName: 'PB_SERVER_HOST',
    type: hostNames,
    default: 'localhost',
    help: 'Where a client finds its server. In a battle with roles on other hosts: the address under which clients reach the server, if ssh uses another address. For several servers, a comma-separated list.',
    helpFor: {
      faults: 'The address under which clients reach servers on another host, if ssh uses another address.',
    },
    needs: 'a workload with a server, and --client-on, --server-on or --broker-on',
    appliesTo: ({hasServer}, settings) => hasServer && hasRemoteRoles(settings),
    group: script,
  }),
  option('listen-address', {
    ...byHand,
    type: hostName,
    help: 'The address that a server binds to; by default all addresses.',
  }),
  option('connect-timeout', {
    ...byHand,
    key: 'connectTimeoutMs',
    type: duration({minimumMs: 0, maximumMs: 600_000}),
    default: 30_000,
    help: 'How long a client waits for a server that is not running yet.',
  }),
  option('output', {
    ...byHand,
    type: oneOf(['text', 'ndjson']),
    default: 'text',
    help: 'Print plain text, or events as JSON lines.',
  }),
  option('stdin', {
    ...byHand,
    type: oneOf(['ignore', 'control']),
    default: 'ignore',
    help: 'control: read the configuration, start and stop as JSON lines from standard input, and exit when it ends.',
  }),
];

/** @param {string} value @returns {WarmUp | undefined} */
function parseWarmUp(value) {
  if (value.toLowerCase() === 'auto') return automaticWarmUp;
  if (/^\d+$/.test(value))
    return Number(value) <= 1_000_000 ? {kind: 'count', count: Number(value)} : undefined;
  const durationMs = duration({minimumMs: 1, maximumMs: 600_000}).parse(value);
  return durationMs === undefined || /\d$/.test(value) ? undefined : {kind: 'duration', durationMs};
}

/** @param {WarmUp} warmUp */
function formatWarmUp(warmUp) {
  if (warmUp.kind === 'count') return String(warmUp.count);
  return warmUp.kind === 'duration' ? `${warmUp.durationMs}ms` : 'auto';
}
