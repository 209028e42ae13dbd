import {cpu, mean, plainRate} from '../../columns/columns.js';
import {formatTime} from '../../columns/figures.js';
import {comparedMeans, messageRates} from '../../columns/tables.js';
import {option} from '../../options/option.js';
import {oneOf, share} from '../../options/types.js';
import {clients, contentGroup, everyRole, reply, retries, servers, verify} from '../shared-options.js';
import {role} from './role.js';

/**
 * @import {Column, Table} from '../../columns/column.js'
 * @import {OwnSettings, Workload} from '../workload.js'
 * @import {CacheDistribution} from './client.js'
 */

/** Separate columns for hits and misses. @type {readonly Column[]} */
const cacheColumns = /** @type {const} @satisfies {readonly CacheDistribution[]} */ (['hit', 'miss']).flatMap(
  (name) => [
    {
      heading: `${name} mean`,
      priority: 1,
      cell: (record) => formatTime(nanoseconds(record.latencies[name]?.meanMs)),
    },
    {
      heading: `${name} p99`,
      priority: 2,
      cell: (record) => formatTime(nanoseconds(record.latencies[name]?.p99Ms)),
    },
  ],
);

/** @param {number | null | undefined} ms */
function nanoseconds(ms) {
  return ms == null ? null : ms * 1e6;
}

/** @type {Table} */
const cacheTimes = {
  name: 'cached',
  title: 'Mean times through a cache, in ms unless noted',
  columns: [mean, ...cacheColumns, plainRate, cpu],
  ...comparedMeans('mean time'),
  results: messageRates('cached'),
};

const options = [
  clients,
  servers,
  reply,
  verify,
  retries,
  option('hit-ratio', {
    type: share({minimum: 0, maximum: 1}),
    default: 0.9,
    list: true,
    label: (value) => `${Number((value * 100).toFixed(4))} % hits`,
    help: "The share of requests that the client's cache answers.",
    group: contentGroup,
  }),
  option('cache-in', {
    type: oneOf(['memory', 'lmdb']),
    default: 'memory',
    list: true,
    label: (value) => (value === 'memory' ? null : 'cache in LMDB'),
    help: 'Keep the replies in a map of the client, or in a database of LMDB on a RAM drive. lmdb needs the npm package lmdb on the host of the client.',
    group: contentGroup,
  }),
];

/** @typedef {OwnSettings<typeof options>} CachedSettings */

/**
 * Requests through a cache of the client, which answers some of them. The server answers the others.
 * @satisfies {Workload<CachedSettings>}
 */
export const cached = {
  name: /** @type {const} */ ('cached'),
  ...role,
  summary: 'requests through a client-side cache',
  options,
  figure: 'latency',
  figureNote: 'mean time of hits and misses together',
  // One pair measures one size. A hit takes nanoseconds, so the memory left by another size would be visible.
  sharesPair: () => false,
  table: () => cacheTimes,
  underFaults: {hitRatio: [0.9]},
  dimensions: () => ({hitRatio: [0.9], cacheIn: ['memory'], answer: ['echo']}),
  cpu: () => everyRole,
  cpuNote: 'all roles, hits included',
  supportsExternal: () => true,
  floorNote: 'the same mix over raw TCP; not in the table, because a hit reaches no transport',
  busyRoles: () => ['client', 'server'],
  messageMs: ({emptyMs, bytesMs}, {hitRatio}, {isFirst}) =>
    0.002 + (isFirst ? 1 : 1 - hitRatio) * (emptyMs + bytesMs),
};
