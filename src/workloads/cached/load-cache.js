import {openMemory} from './cache.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {Cache, CacheLimits, CacheName} from './cache.js'
 */

/**
 * Loads a kind of cache.
 * @param {CacheName} name
 * @returns {Promise<(limits: CacheLimits) => Cache>} opens an empty one
 * @throws {UnavailableError} when its library is not installed
 */
export async function loadCache(name) {
  return name === 'lmdb' ? (await import('./lmdb-cache.js')).loadLmdb() : openMemory;
}
