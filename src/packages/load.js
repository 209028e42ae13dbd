import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {homedir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {UnavailableError} from '../errors.js';

/**
 * Loads a CommonJS package, or a part of one. By `import`, a process that starts with ws takes some 45 ms of CPU more, with Express some 25,
 * and with AWS's SDK some 70: Node.js 20 looks for the exports of a CommonJS file before it runs it.
 */
export const loadPackage = createRequire(import.meta.url);

/**
 * Finds a package where Node.js would, from a folder upwards.
 * @param {string} from @param {string} name
 * @returns {string | null} its folder
 */
export function packageAbove(from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === dirname(folder)) return null;
  }
}

// Optional packages: the default battle does not need them. A user installs one beside perf-battle, or `perf-battle install` fetches it into the cache.

/** Where roles on another host find the packages of the cache, which were copied there. */
export const packagesVariable = 'PERF_BATTLE_PACKAGES';

/** @returns {Record<string, string>} the range that package.json has, by name */
function ranges() {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).peerDependencies;
}

/** @param {string} name of a package */
export function isOptional(name) {
  return name in ranges();
}

/** perf-battle's folder of what can be fetched again. */
export function cacheFolder() {
  return resolve(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'perf-battle');
}

/** The folder of the fetched packages. */
export function packagesFolder() {
  return process.env[packagesVariable] ?? join(cacheFolder(), 'packages');
}

/**
 * The one version that is fetched: the first of the range, which the tests use.
 * @param {string} name
 * @returns {{spec: string, folder: string}} spec: name@version for npm; folder: its name in the cache
 */
export function fetched(name) {
  const spec = `${name}@${ranges()[name].replace(/^[\^~]/, '')}`;
  return {spec, folder: spec.replace('/', '+')};
}

/**
 * @param {string} name of a package
 * @returns {string | null} its folder, beside perf-battle or in the cache
 */
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
 * @property {string} by what needs it, as the beginning of a sentence
 * @property {string} install what follows `perf-battle install`
 */

/**
 * Loads an optional package of CommonJS, or a file of one: `import` takes more time for those.
 * @param {string} specifier @param {Need} need @returns {any}
 * @throws {UnavailableError} PB_NOT_INSTALLED, with the command that installs it
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
 * Loads an optional package of ES modules. To require one fails in Node.js 22 while the same process imports another file that shares a module with
 * it, be it one of Node.js.
 * @param {string} name of the package @param {Need} need @returns {Promise<any>}
 * @throws {UnavailableError} PB_NOT_INSTALLED, with the command that installs it
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

/** @param {string} specifier @returns {NodeJS.Require | null} null: it is not there */
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
