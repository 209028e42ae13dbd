import {access, constants, readlink, realpath, stat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {RunError} from '../errors.js';
import {maskPassword} from './mask-password.js';

/** The explanation and the advice for each system error of a file that is to be written. */
const EXPLANATIONS = new Map([
  ['EISDIR', 'it is a directory. Name a file.'],
  ['ENOENT', 'its folder does not exist. Create the folder, or name another file.'],
  ['ENOTDIR', 'a part of its path is a file, not a folder. Name another file.'],
  ['ELOOP', 'its symlinks form a loop. Remove them, or name another file.'],
  ['EACCES', 'permission denied. Change the permissions of the file and its folder, or name another file.'],
  ['EPERM', 'permission denied. Change the permissions of the file and its folder, or name another file.'],
  ['EROFS', 'its file system is read-only. Name a file on another file system.'],
  ['ENOSPC', 'the disk is full. Free some space, then try again.'],
  ['EDQUOT', 'your disk quota is used up. Free some space, then try again.'],
]);

/**
 * Resolves a path to the file that will be written, and checks without writing that this is possible. A missing file
 * in a writable folder is accepted.
 *
 * @param {string} path
 * @returns {Promise<string>} the absolute path, without symlinks
 * @throws {RunError} when the file is not a regular file, or nobody has permission to write it
 * @throws {NodeJS.ErrnoException} when the system refuses access; explainFileError explains it
 */
export async function checkTarget(path) {
  const target = await resolveTarget(path);
  const stats = await stat(target).catch(ignoreMissing);
  if (stats !== undefined) {
    if (stats.isDirectory()) throw cannotWrite(path, EXPLANATIONS.get('EISDIR'));
    // Replacing a device or a pipe with a file would break it for all its users.
    if (!stats.isFile()) throw cannotWrite(path, 'it is not a regular file. Name another file.');
    // Root can write to a read-only file too, but somebody made it read-only on purpose.
    if ((stats.mode & 0o222) === 0) {
      throw cannotWrite(path, `it is read-only. Allow writing with chmod u+w ${path}, or name another file.`);
    }
    await access(target, constants.R_OK | constants.W_OK);
  }
  await access(dirname(target), constants.W_OK | constants.X_OK);
  return target;
}

/**
 * Follows symlinks to a file that may not exist yet.
 *
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function resolveTarget(path) {
  const existing = await realpath(path).catch(ignoreMissing);
  if (existing !== undefined) return existing;
  const absolute = resolve(path);
  const folder = await realpath(dirname(absolute));
  const file = join(folder, basename(absolute));
  const link = await readlink(file).catch(ignoreNoLink);
  return link === undefined ? file : resolveTarget(resolve(folder, link));
}

/**
 * For a promise's catch: returns undefined for a missing file, and for one that is not a symlink because another
 * process has just created it.
 *
 * @param {NodeJS.ErrnoException} error
 * @returns {undefined}
 */
function ignoreNoLink(error) {
  if (error.code !== 'EINVAL') ignoreMissing(error);
}

/**
 * For a promise's catch: returns undefined for a missing file and throws every other error.
 *
 * @param {NodeJS.ErrnoException} error
 * @returns {undefined}
 */
export function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * Turns a system error into an error that says what to do. Returns any other error unchanged.
 *
 * @param {string} path as the user wrote it
 * @param {unknown} error
 * @returns {unknown}
 */
export function explainFileError(path, error) {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  return cannotWrite(path, EXPLANATIONS.get(String(error.code)) ?? error.message, error);
}

/**
 * @param {string} path
 * @param {string | undefined} explanation
 * @param {unknown} [cause]
 * @returns {RunError}
 */
export function cannotWrite(path, explanation, cause) {
  return new RunError(`Cannot write ${maskPassword(path)}: ${explanation}`, {cause});
}
