import {mkdtempSync, writeFileSync} from 'node:fs';
import {lstat, mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {isRunning, thisProcess} from '../measure/system.js';

/** @import {ProcessIdentity} from '../measure/types.js' */

/**
 * Creates a folder and its missing parents. Node.js's recursive mkdir never ends if a folder cannot be created although its
 * parent exists, for example below /proc.
 * @param {string} path
 * @param {{mode?: number}} [options] apply to all created folders
 * @throws {NodeJS.ErrnoException} the error of the system
 */
export async function makeFolders(path, options = {}) {
  const folder = resolve(path);
  const missing = [];
  for (let one = folder; !(await isThere(one)); one = dirname(one)) missing.unshift(one);
  for (const one of missing) await mkdir(one, options).catch(ignoreExisting);
  // A file may have this name.
  if (!(await stat(folder)).isDirectory()) throw notAFolder(folder);
}

/** @param {string} path @throws {NodeJS.ErrnoException} when the system refuses access to the path */
async function isThere(path) {
  const found = await stat(path).catch((/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return found !== undefined || path === dirname(path);
}

/** Another process may have created the folder in the meantime. @param {NodeJS.ErrnoException} error */
function ignoreExisting(error) {
  if (error.code !== 'EEXIST') throw error;
}

/** @param {string} path */
function notAFolder(path) {
  const message = `ENOTDIR: not a directory, mkdir '${path}'`;
  return Object.assign(new Error(message), {code: 'ENOTDIR', syscall: 'mkdir', path});
}

/** A folder belongs to a process while the process runs. A later process removes the folders of killed processes. */

const ownerFile = 'owner.json';
/** A folder without an owner file stays for this time, because its process may be about to write the file. */
const unownedForMs = 60_000;

/**
 * Creates a folder that no other user can read (mkdtemp: mode 700).
 * @param {string} base
 * @param {string} prefix the prefix of the name
 * @returns {Promise<string>} the path
 * @throws {NodeJS.ErrnoException} the error of the system
 */
export async function makeOwnedFolder(base, prefix) {
  const owner = await thisProcess();
  // A process that is killed between these two calls leaves a folder without an owner, which stays for a minute.
  const folder = mkdtempSync(join(base, prefix));
  writeFileSync(join(folder, ownerFile), JSON.stringify(owner));
  return folder;
}

/** Makes this process the owner of a folder. @param {string} folder */
export async function own(folder) {
  await writeFile(join(folder, ownerFile), JSON.stringify(await thisProcess()));
}

/** @param {string} folder */
export async function removeOwnedFolder(folder) {
  // A process that is being killed may still write into the folder.
  await rm(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 50});
}

/**
 * Removes the folders of killed processes. Folders of other users, of running processes, and of processes that are not
 * visible from here stay.
 * @param {string} base @param {string} prefix @param {(folder: string) => Promise<void>} [remove]
 */
export async function sweepOwnedFolders(base, prefix, remove = removeOwnedFolder) {
  const names = (await readdir(base).catch(() => [])).filter((name) => name.startsWith(prefix));
  await Promise.all(
    names.map(async (name) => {
      const folder = join(base, name);
      if (await isAbandoned(folder)) await remove(folder).catch(() => {});
    }),
  );
}

/** @param {string} folder */
async function isAbandoned(folder) {
  const stat = await lstat(folder).catch(() => null);
  if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) return false;
  const owner = await readOwner(folder);
  if (owner === null) return Date.now() - stat.mtimeMs > unownedForMs;
  return (await isRunning(owner)) === false;
}

/** @param {string} folder @returns {Promise<ProcessIdentity | null>} */
async function readOwner(folder) {
  try {
    return JSON.parse(await readFile(join(folder, ownerFile), 'utf8'));
  } catch {
    return null;
  }
}
