import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';

/**
 * What scripts/install-for-tests.sh makes once and keeps.
 * @param {string} name of a file or folder there
 * @returns {string} its path
 * @throws {Error} when it is not there
 */
export function inTestCache(name) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const path = join(cache, 'perf-battle-tests', name);
  if (existsSync(path)) return path;
  throw new Error(`This test needs ${path}. Run: bash scripts/install-for-tests.sh`);
}
