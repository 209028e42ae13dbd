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

export {};
