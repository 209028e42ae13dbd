import {LRUCache} from 'lru-cache';

/**
 * Where the cache of a client keeps its replies.
 *
 * @typedef {object} Cache
 * @property {(key: string) => Buffer | undefined} get undefined: not cached
 * @property {(key: string, reply: Buffer) => void} set evicts another reply when the cache is full
 * @property {() => void} close
 *
 * @typedef {'memory' | 'lmdb'} CacheName
 * @typedef {{capacity: number, onEvicted: (key: string) => void}} CacheLimits capacity: replies
 */

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
