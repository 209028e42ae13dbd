import {mkdir, stat} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';

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
