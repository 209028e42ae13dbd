import {access, constants, readlink, realpath, stat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {RunError} from '../errors.js';

/** What each failure of the system means for a file to be written, and what to do about it. */
const EXPLANATIONS = new Map([
  ['EISDIR', 'it is a directory. Name a file.'],
  ['ENOENT', 'its folder does not exist. Create the folder, or name another file.'],
  ['ENOTDIR', 'a part of its path is a file, not a folder. Name another file.'],
  ['ELOOP', 'its symlinks lead in a circle. Remove them, or name another file.'],
  ['EACCES', 'it is not permitted. Change the permissions of the file and its folder, or name another file.'],
  ['EPERM', 'it is not permitted. Change the permissions of the file and its folder, or name another file.'],
  ['EROFS', 'its file system is read-only. Name a file on another.'],
  ['ENOSPC', 'the disk is full. Free some space, then try again.'],
  ['EDQUOT', 'your disk quota is used up. Free some space, then try again.'],
]);

/**
 * Finds the file that is to be written when a path is, and checks that it can be, as far as this shows without writing.
 * A missing file in a folder that can be written to is fine.
 *
 * @param {string} path
 * @returns {Promise<string>} the absolute path, with no symlink in it
 * @throws {RunError} when the file is no regular file or has no write permission for anybody
 * @throws {NodeJS.ErrnoException} when the system refuses, to be explained by explainFileError
 */
export async function checkTarget(path) {
  const target = await resolveTarget(path);
  const stats = await stat(target).catch(ignoreMissing);
  if (stats !== undefined) {
    if (stats.isDirectory()) throw cannotWrite(path, EXPLANATIONS.get('EISDIR'));
    // Replacing a device or a pipe with a file would break it for all.
    if (!stats.isFile()) throw cannotWrite(path, 'it is not a regular file. Name another file.');
    // Root may write to a read-only file too, yet somebody made it read-only.
    if ((stats.mode & 0o222) === 0) {
      throw cannotWrite(path, `it is read-only. Allow writing with chmod u+w ${path}, or name another file.`);
    }
    await access(target, constants.R_OK | constants.W_OK);
  }
  await access(dirname(target), constants.W_OK | constants.X_OK);
  return target;
}

/**
 * Follows symlinks to a file that need not exist yet.
 *
 * @param {string} path
 * @returns {Promise<string>}
 */
async function resolveTarget(path) {
  const existing = await realpath(path).catch(ignoreMissing);
  if (existing !== undefined) return existing;
  const absolute = resolve(path);
  const folder = await realpath(dirname(absolute));
  const file = join(folder, basename(absolute));
  const link = await readlink(file).catch(ignoreNoLink);
  return link === undefined ? file : resolveTarget(resolve(folder, link));
}

/**
 * For a promise's catch: a file that is missing, or that another process has made meanwhile and is no symlink, gives undefined.
 *
 * @param {NodeJS.ErrnoException} error
 * @returns {undefined}
 */
function ignoreNoLink(error) {
  if (error.code !== 'EINVAL') ignoreMissing(error);
}

/**
 * For a promise's catch: a missing file gives undefined, all else is thrown.
 *
 * @param {NodeJS.ErrnoException} error
 * @returns {undefined}
 */
export function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * Turns a failure of the system into an error that says what to do; any other error stays as it is.
 *
 * @param {string} path as the person named it
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
  return new RunError(`Cannot write ${path}: ${explanation}`, {cause});
}
