import {accessSync, constants, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {requireOptional} from '../../packages/load.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import * as Lmdb from 'lmdb'
 * @import {Key, RootDatabase} from 'lmdb'
 * @import {Cache, CacheLimits} from './requests.js'
 */

/** A file system in memory, on Linux. */
const ramDrive = '/dev/shm';

/**
 * @returns {(limits: CacheLimits) => Cache} opens an empty database, in a file that no other process can open, and that is gone with this one
 * @throws {UnavailableError} when the library is not installed
 */
export function loadLmdb() {
  /** @type {typeof Lmdb} */
  const {open} = requireOptional('lmdb', {by: '--cache-in lmdb', install: 'lmdb'});
  return (limits) => {
    const folder = mkdtempSync(join(folderInMemory(), 'perf-battle-cache-'));
    try {
      // No value is kept as an object of JavaScript, and nothing waits for a disk.
      const database = open({path: folder, encoding: 'binary', cache: false, noSync: true});
      return makeCache(database, limits);
    } finally {
      rmSync(folder, {recursive: true});
    }
  };
}

/**
 * The reply that was stored first is evicted.
 * @param {RootDatabase<Buffer, Key>} database @param {CacheLimits} limits @returns {Cache}
 */
function makeCache(database, {capacity, onEvicted}) {
  /** In the order in which they were stored. @type {Set<string>} */
  const keys = new Set();
  const evict = (/** @type {string} */ key) => {
    keys.delete(key);
    database.removeSync(key);
    onEvicted(key);
  };
  return {
    get: (key) => database.get(key),
    set(key, reply) {
      const [oldest] = keys;
      if (keys.size === capacity) evict(oldest);
      keys.add(key);
      database.putSync(key, reply);
    },
    close: () => void database.close(),
  };
}

/** The system's folder for temporary files, where there is no RAM drive. */
function folderInMemory() {
  try {
    accessSync(ramDrive, constants.W_OK);
    return ramDrive;
  } catch {
    return tmpdir();
  }
}
