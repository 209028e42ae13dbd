import {mkdir, readFile, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {RunError} from '../errors.js';
import {makeFolders} from '../files/make-folders.js';
import {maskPassword} from '../files/mask-password.js';
import {makeOwnedFolder, removeOwnedFolder, sweepOwnedFolders} from '../files/owned-folder.js';
import {cacheFolder} from './load.js';

/** @typedef {{log: (line: string) => void, signal: AbortSignal}} How log: says what takes long */

/** The folder of this program. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Of folders that are being filled. */
const partPrefix = 'part-';

/** Why the cache cannot be used, for each system error. */
const explanations = new Map([
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['EEXIST', 'a part of its path is not a folder'],
  ['ENOENT', 'it cannot be created there'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'your disk quota is used up'],
]);

/**
 * A folder in ~/.cache/perf-battle, which can be deleted. It is complete when it has its name.
 * @param {'sides' | 'packages' | 'runtimes'} what it is for
 * @param {string} name
 * @param {(part: string) => Promise<void>} fill is not called if the folder is there. It writes a package.json, too
 * @returns {Promise<string>} its path
 * @throws {RunError} when the cache cannot be used
 */
export async function keepFolder(what, name, fill) {
  const cache = join(cacheFolder(), what);
  const folder = join(cache, name);
  if (await isComplete(folder)) return folder;
  try {
    await makeFolders(cache);
    await sweepOwnedFolders(cache, partPrefix);
    await fillFolder(folder, await makeOwnedFolder(cache, partPrefix), fill);
    return folder;
  } catch (error) {
    throw explain(cache, error);
  }
}

/** @param {string} folder */
async function isComplete(folder) {
  return await readFile(join(folder, 'package.json')).then(
    () => true,
    () => false,
  );
}

/** @param {string} folder @param {string} part @param {(part: string) => Promise<void>} fill */
async function fillFolder(folder, part, fill) {
  try {
    const content = join(part, 'content');
    await mkdir(content);
    await fill(content);
    // Something may have its name without being complete, if a person deleted a part of the cache.
    if (!(await isComplete(folder))) await rm(folder, {recursive: true, force: true});
    // Another process may have filled it meanwhile.
    await rename(content, folder).catch(ignoreExisting);
  } finally {
    await removeOwnedFolder(part);
  }
}

/** @param {NodeJS.ErrnoException} error */
export function ignoreExisting(error) {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}

/** @param {string} cache @param {unknown} error @returns {unknown} any other error is unchanged */
function explain(cache, error) {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  const reason = explanations.get(String(error.code)) ?? error.message;
  return new RunError(
    `The cache ${maskPassword(cache)} cannot be used: ${reason}. Set XDG_CACHE_HOME to a folder that is writable and has free space.`,
    {cause: error},
  );
}
