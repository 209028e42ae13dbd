import {createHash} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, join} from 'node:path';

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

/**
 * What was installed from a list of packages.
 * @param {string} name
 * @param {string | URL} list the file that has it
 * @returns {string} the path of a folder, which has another name when the list changes
 * @throws {Error} when not all of it is there
 */
export function installedFrom(name, list) {
  const digest = createHash('sha256').update(readFileSync(list)).digest('hex');
  return dirname(inTestCache(join(`${name}-${digest.slice(0, 12)}`, 'complete')));
}
