import {mkdtempSync, writeFileSync} from 'node:fs';
import {lstat, mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {isRunning, thisProcess} from '../measure/system.js';

/** @import {ProcessIdentity} from '../measure/types.js' */

/**
 * Makes a folder, and those above it that are missing. The `recursive` of Node.js's own mkdir never ends where the system says that a folder does not exist
 * although the one above it does, as below /proc.
 * @param {string} path
 * @param {{mode?: number}} [options] of all that are made
 * @throws {NodeJS.ErrnoException} the system's reason
 */
export async function makeFolders(path, options = {}) {
  const folder = resolve(path);
  const missing = [];
  for (let one = folder; !(await isThere(one)); one = dirname(one)) missing.unshift(one);
  for (const one of missing) await mkdir(one, options).catch(ignoreExisting);
  // A file may have this name, or another process may have made one.
  if (!(await stat(folder)).isDirectory()) throw notAFolder(folder);
}

/** @param {string} path @throws {NodeJS.ErrnoException} when it cannot be looked for */
async function isThere(path) {
  const found = await stat(path).catch((/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return found !== undefined || path === dirname(path);
}

/** Another process made it meanwhile. @param {NodeJS.ErrnoException} error */
function ignoreExisting(error) {
  if (error.code !== 'EEXIST') throw error;
}

/** @param {string} path */
function notAFolder(path) {
  const message = `ENOTDIR: not a directory, mkdir '${path}'`;
  return Object.assign(new Error(message), {code: 'ENOTDIR', syscall: 'mkdir', path});
}

/** Folders that belong to a process while it runs. If it was killed, a later one removes them. */

const ownerFile = 'owner.json';
/** Its process was killed before it wrote the owner file, or is about to write it. */
const unownedForMs = 60_000;

/**
 * Creates a folder that no other user can read: `mkdtemp` gives it mode 700.
 * @param {string} base
 * @param {string} prefix of its name
 * @returns {Promise<string>} its path
 * @throws {NodeJS.ErrnoException} the system's reason
 */
export async function makeOwnedFolder(base, prefix) {
  const owner = await thisProcess();
  // If the process is killed between these two calls, the folder has no owner and stays for a minute.
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
  // A process that was killed just now may still write into it.
  await rm(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 50});
}

/**
 * Removes the folders of processes that were killed. It does not touch one of another user, of a process that runs, or of one that cannot be seen from here.
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
