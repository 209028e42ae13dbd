import {LRUCache} from 'lru-cache';

/** @import {Cache, CacheLimits} from './cache.js' */

/**
 * A map in the memory of the client, of which the least recently used reply is evicted.
 * @param {CacheLimits} limits
 * @returns {Cache}
 */
export function openMemory({capacity, onEvicted}) {
  /** @type {LRUCache<string, Buffer>} */
  const cache = new LRUCache({max: capacity, dispose: (_reply, key) => onEvicted(key)});
  // The library's own lookup is timed, without a function around it.
  return Object.assign(cache, {close() {}});
}
