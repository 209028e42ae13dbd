import {formatTime} from '../../columns/digits.js';

/**
 * @import {Column} from '../../columns/column.js'
 * @import {Histogram} from '../../stats/histogram.js'
 */

/**
 * @typedef {{beside: {hit: Histogram, miss: Histogram, clock: Histogram}, notes: {hits: number, misses: number}}} CacheResult
 * @typedef {keyof CacheResult['beside']} CacheDistribution
 */

/** Hits and misses apart. @type {readonly Column[]} */
export const cacheColumns = /** @type {const} @satisfies {readonly CacheDistribution[]} */ ([
  'hit',
  'miss',
]).flatMap((name) => [
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
]);

/** @param {number | null | undefined} ms */
function nanoseconds(ms) {
  return ms == null ? null : ms * 1e6;
}
