import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {homedir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {UnavailableError} from '../errors.js';

/**
 * Loads a CommonJS package or a file of it. With `import`, the start takes more CPU time: about 45 ms for ws, 25 ms for
 * Express, and 70 ms for AWS's SDK. Node.js 20 searches a CommonJS file for its exports before it runs the file.
 */
export const loadPackage = createRequire(import.meta.url);

/**
 * Finds a package as Node.js does, in a folder or its parents.
 * @param {string} from @param {string} name
 * @returns {string | null} the folder of the package
 */
export function packageAbove(from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === dirname(folder)) return null;
  }
}

// The default battle does not need optional packages. A user installs them next to perf-battle, or `perf-battle install`
// fetches them into the cache.

/** The variable with the folder of the copied packages, for roles on another host. */
export const packagesVariable = 'PERF_BATTLE_PACKAGES';

/** @returns {Record<string, string>} the version ranges of package.json, by name */
function ranges() {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).peerDependencies;
}

/** @param {string} name */
export function isOptional(name) {
  return name in ranges();
}

/** The folder of files that perf-battle can fetch again. */
export function cacheFolder() {
  return resolve(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'perf-battle');
}

export function packagesFolder() {
  return process.env[packagesVariable] ?? join(cacheFolder(), 'packages');
}

/**
 * The version that perf-battle fetches: the first version of the range, which the tests use.
 * @param {string} name
 * @returns {{spec: string, folder: string}} spec: name@version for npm; folder: the name of the folder in the cache
 */
export function fetched(name) {
  const spec = `${name}@${ranges()[name].replace(/^[\^~]/, '')}`;
  return {spec, folder: spec.replace('/', '+')};
}

/** @param {string} name @returns {string | null} the folder of the package, next to perf-battle or in the cache */
export function findPackage(name) {
  const beside = loadPackage.resolve.paths(name) ?? [];
  const folders = isOptional(name) ? [...beside, modulesOf(name)] : beside;
  const found = folders.find((folder) => existsSync(join(folder, name, 'package.json')));
  return found === undefined ? null : join(found, name);
}

/** @param {string} name */
function modulesOf(name) {
  return join(packagesFolder(), fetched(name).folder, 'node_modules');
}

/**
 * @typedef {object} Need
 * @property {string} by the feature that needs the package, as the subject of a sentence
 * @property {string} install the argument of `perf-battle install`
 */

/**
 * Loads an optional CommonJS package or a file of it, which takes less time than `import`.
 * @param {string} specifier @param {Need} need
 * @throws {UnavailableError} PB_NOT_INSTALLED, with the command that installs the package
 */
export function requireOptional(specifier, need) {
  try {
    return loadPackage(specifier);
  } catch (error) {
    const from = inCache(specifier);
    if (from === null) throw notInstalled(specifier, need, error);
    return from(specifier);
  }
}

/**
 * Loads an optional package of ES modules. In Node.js 22, `require` of such a package fails while the process imports another
 * file that shares a module with the package, even a built-in module.
 * @param {string} name @param {Need} need
 * @throws {UnavailableError} PB_NOT_INSTALLED, with the command that installs the package
 */
export async function importOptional(name, need) {
  try {
    return await import(name);
  } catch (error) {
    const from = inCache(name);
    if (from === null) throw notInstalled(name, need, error);
    return import(pathToFileURL(from.resolve(name)).href);
  }
}

/** @param {string} specifier @returns {NodeJS.Require | null} null: the package is not in the cache */
function inCache(specifier) {
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? [''];
  const modules = modulesOf(name);
  return existsSync(join(modules, name, 'package.json')) ? createRequire(join(modules, 'any.js')) : null;
}

/** @param {string} specifier @param {Need} need @param {unknown} cause */
function notInstalled(specifier, {by, install}, cause) {
  const {code, message} = /** @type {NodeJS.ErrnoException} */ (cause);
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
  const why = isMissing ? 'is not installed' : `cannot be loaded here: ${message.split('\n')[0]}`;
  return new UnavailableError(
    `${by} needs the npm package ${specifier}, which ${why}. Install it with: npx perf-battle install ${install}`,
    {code: 'PB_NOT_INSTALLED', cause},
  );
}
