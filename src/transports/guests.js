import {existsSync, readFileSync, statSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {UsageError} from '../errors.js';
import {importBrought} from '../files/brought-module.js';
import {packageAbove} from '../packages/load.js';
import {defineTransport, mistakeInTransport} from './define.js';

/** @import {Declaration, Guest} from './transport.js' */

/** The package of a transport, for `--transport NAME`. @param {string} name */
export const packageOfName = (name) => `perf-battle-transport-${name}`;

/**
 * Loads a transport by the path of a file or folder, the name of an installed npm package, or NAME of perf-battle-transport-NAME, in any case.
 * @param {string} specifier
 * @param {string} [folder] the folder from which paths and packages are resolved
 * @returns {Promise<Guest | null>} null: there is neither such a file nor such a package
 * @throws {UsageError} when the module cannot be loaded, or does not declare a transport
 */
export async function loadGuest(specifier, folder = process.cwd()) {
  const file = fileOf(specifier, folder);
  return file === null ? null : await loadFile(file, specifier);
}

/** @param {string} file @param {string} specifier of the transport, for messages @returns {Promise<Guest>} */
async function loadFile(file, specifier) {
  const {href: url} = pathToFileURL(file);
  /** @type {{default?: unknown}} */
  let loaded;
  try {
    loaded = await importBrought(url);
  } catch (cause) {
    const {message} = /** @type {Error} */ (cause);
    throw new UsageError(`The transport ${specifier} cannot be loaded: ${message}`, {cause});
  }
  const mistake = mistakeInTransport(loaded.default);
  if (mistake !== null)
    throw new UsageError(
      `${specifier} is no transport: its default export must be made by defineTransport(), but ${mistake}`,
    );
  const {broker, ...declaration} = defineTransport(/** @type {Declaration} */ (loaded.default));
  const {name = null, version = null} = packageOf(file);
  return {
    ...declaration,
    broker: typeof broker === 'function' ? null : broker,
    bringBroker: typeof broker === 'function' ? broker : null,
    isOptIn: true,
    module: {specifier, url, package: name, version},
  };
}

/** @param {string} specifier @param {string} folder */
function fileOf(specifier, folder) {
  if (specifier.startsWith('file:')) return fileURLToPath(specifier);
  if (/^(\.{0,2}\/|\.{1,2}$)/.test(specifier)) {
    const path = resolve(folder, specifier);
    if (!existsSync(path))
      throw new UsageError(`The transport ${specifier} does not exist: there is no ${path}.`);
    return statSync(path).isDirectory() ? entryOf(path) : path;
  }
  if (!/^(@[\w.-]+\/)?[\w.-]+$/.test(specifier)) return null;
  const found = [specifier, specifier.toLowerCase()]
    .flatMap((name) => [name, packageOfName(name)])
    .map((name) => packageAbove(folder, name))
    .find((one) => one !== null);
  return found === undefined ? null : entryOf(found);
}

/** Returns the file that a folder's package.json exports; default index.js. @param {string} folder @throws {UsageError} */
function entryOf(folder) {
  const path = join(folder, 'package.json');
  const {exports, main} = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const entry = join(folder, exportOf(exports?.['.'] ?? exports) ?? main ?? 'index.js');
  if (existsSync(entry)) return entry;
  throw new UsageError(`${folder} is no transport: there is no ${entry}.`);
}

/** @param {any} exported @returns {string | undefined} the file that `import` of Node.js loads */
function exportOf(exported) {
  if (typeof exported === 'string') return exported;
  if (typeof exported !== 'object' || exported === null) return undefined;
  const chosen = Object.keys(exported).find((condition) =>
    ['node', 'import', 'module-sync', 'default'].includes(condition),
  );
  return chosen === undefined ? undefined : exportOf(exported[chosen]);
}

/** Returns the package.json of the package that contains a file. @param {string} file @returns {{name?: string, version?: string}} */
function packageOf(file) {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
    if (folder === dirname(folder)) return {};
  }
}
