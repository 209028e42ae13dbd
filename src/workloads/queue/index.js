import {compareCells, guarantee} from '../../columns/columns.js';
import {formatRateMean, formatRateWithEnds, formatShortRate} from '../../columns/figures.js';
import {messageRates, rateTable} from '../../columns/tables.js';
import {option} from '../../options/option.js';
import {onOff} from '../../options/types.js';
import {clients, contentGroup, everyRole, window} from '../shared-options.js';
import {role} from './role.js';

/**
 * @import {Column, Compared, Table} from '../../columns/column.js'
 * @import {OwnSettings, Workload} from '../workload.js'
 * @import {QueuePhases} from './client.js'
 */

const phases = /** @type {const} @satisfies {readonly (keyof QueuePhases)[]} */ (['enqueue', 'dequeue']);

/** @type {readonly Column[]} */
const phaseColumns = phases.flatMap((name, index) => [
  {
    heading: `${name}/s`,
    priority: index,
    cell: (record) => formatRateMean(record.phases[name]),
    inDetail: {
      heading: `${name}/s [95 %]`,
      cell: (record) => (name in record.phases ? formatRateWithEnds(record.phases[name]) : 'n/a'),
    },
  },
  {heading: `${name} ms`, priority: 2, cell: (record) => record.phases[name]?.meanMs.toFixed(1) ?? 'n/a'},
]);

/** A queue is compared by both of its rates. @type {Compared} */
const compared = {
  figureOf: (record) => phases.map((name) => `${name} ${formatShortRate(record.phases[name])}/s`).join(', '),
};

/** @type {Table} */
const inAndOut = {
  name: 'queue',
  title: 'Messages per second ± 95 % interval, into and out of a durable queue',
  columns: [...phaseColumns, {...guarantee, priority: 1}],
  summarize: compareCells(compared),
  compared,
  results: messageRates('queue'),
  isInParts: true,
};
const pairs = rateTable('queue', {hasLatency: true});

/** Maximum number of unconfirmed messages, with publisher confirms. */
const defaultWindow = 256;

const options = [
  window,
  clients,
  option('pairwise', {
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'pairwise' : 'all in, all out'),
    help: 'Put a message into the queue and take it out again before the next one.',
    group: contentGroup,
  }),
];

/** @typedef {OwnSettings<typeof options>} QueueSettings */

/**
 * The client puts N messages into a durable queue, then takes all of them out. Each phase is timed separately.
 * @satisfies {Workload<QueueSettings>}
 */
export const queue = {
  name: /** @type {const} */ ('queue'),
  ...role,
  summary: 'N messages into a durable queue, then out of it',
  options,
  figure: 'rate',
  figureNote: 'messages per second into the queue, and out of it',
  latenciesWith: {flag: '--pairwise', has: ({pairwise}) => pairwise},
  // One pair measures one size, because it has no server, and its queue is filled and emptied once.
  sharesPair: () => false,
  table: ({phases}) => (Object.keys(phases).length > 0 ? inAndOut : pairs),
  isOpenEnded: true,
  dimensions: (transport, variant) => ({
    pairwise: [false],
    ...(transport.boundsSends?.(variant) && {window: [defaultWindow]}),
  }),
  cpu: () => everyRole,
  cpuNote: 'client and broker',
  floorNote: 'none: raw TCP stores no messages',
  busyRoles: () => ['client', 'server'],
  ignores: () => ['durationMs'],
  supportsExternal: () => true,
  // A message goes in and out. Pairwise, each message waits for the disk. Otherwise many messages are in flight, but all their bytes take time.
  messageMs: ({emptyMs, bytesMs}, {pairwise}) => (pairwise ? 5 : 1 / 6) * emptyMs + bytesMs,
};
