import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {keepFolder} from './keep-folder.js';
import {fetched, findPackage} from './load.js';
import {npm} from './npm.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {How} from './keep-folder.js'
 */

/**
 * Fetches an optional package into the cache, unless it is there or beside perf-battle.
 * @param {string} name
 * @param {How} how
 * @returns {Promise<string>} its folder
 * @throws {UnavailableError} when npm cannot provide it
 */
export async function installPackage(name, how) {
  const found = findPackage(name);
  if (found !== null) return found;
  const {spec, folder} = fetched(name);
  const kept = await keepFolder('packages', folder, (part) => fetchInto(part, [spec], how));
  return join(kept, 'node_modules', name);
}

/**
 * Installs packages of npm in a folder.
 * @param {string} folder
 * @param {readonly string[]} specs
 * @param {How} how
 */
export async function fetchInto(folder, specs, how) {
  how.log(`Fetching ${specs.join(', ')} from npm.`);
  const description = {private: true, type: 'module', allowScripts: {node: true}};
  await writeFile(join(folder, 'package.json'), JSON.stringify(description));
  const words = ['install', '--no-save', '--no-package-lock', ...specs];
  await npm(words, specs.join(', '), {folder, ...how});
}
