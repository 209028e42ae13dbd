/**
 * Folders that belong to a process while it runs. If it was killed, a later one removes them.
 */
import {mkdtempSync, writeFileSync} from 'node:fs';
import {lstat, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {isRunning, thisProcess} from '../measure/process-identity.js';

/** @import {ProcessIdentity} from '../measure/process-identity.js' */

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
 * @param {string} base
 * @param {string} prefix
 * @param {(folder: string) => Promise<void>} [remove]
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
