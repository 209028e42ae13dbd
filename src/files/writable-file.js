import {isUtf8} from 'node:buffer';
import {writeFileSync} from 'node:fs';
import {access, constants, readFile, readlink, realpath, stat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {RunError} from '../errors.js';
import {withFileLock} from './file-lock.js';
import {maskPassword} from './quote.js';

/** The explanation and the advice for each system error of writing a file. */
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
 * Resolves a path to the file that will be written, and checks without writing that it can be written. A missing file in a
 * writable folder is accepted.
 * @param {string} path
 * @returns {Promise<string>} the absolute path, without symlinks
 * @throws {RunError} when the file is not a regular file, or nobody has permission to write it
 * @throws {NodeJS.ErrnoException} when the system refuses access; explainFileError explains the error
 */
export async function checkTarget(path) {
  const target = await resolveTarget(path);
  const stats = await stat(target).catch(ignoreMissing);
  if (stats !== undefined) {
    if (stats.isDirectory()) throw cannotWrite(path, EXPLANATIONS.get('EISDIR'));
    // A replaced device or pipe would be broken for all its users.
    if (!stats.isFile()) throw cannotWrite(path, 'it is not a regular file. Name another file.');
    // Root can also write to a read-only file, but somebody has protected it on purpose.
    if ((stats.mode & 0o222) === 0) {
      throw cannotWrite(path, `it is read-only. Allow writing with chmod u+w ${path}, or name another file.`);
    }
    await access(target, constants.R_OK | constants.W_OK);
  }
  await access(dirname(target), constants.W_OK | constants.X_OK);
  return target;
}

/** Follows symlinks to a file that may not exist yet. @param {string} path @returns {Promise<string>} */
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
 * For a promise's catch: returns undefined for a missing file, and for a file that is not a symlink because another process
 * has just created it.
 * @param {NodeJS.ErrnoException} error @returns {undefined}
 */
function ignoreNoLink(error) {
  if (error.code !== 'EINVAL') ignoreMissing(error);
}

/**
 * For a promise's catch: returns undefined for a missing file and throws every other error.
 * @param {NodeJS.ErrnoException} error @returns {undefined}
 */
export function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * Turns a system error into an error that says what to do. Returns any other error unchanged.
 * @param {string} path the path from the user
 * @param {unknown} error @returns {unknown}
 */
export function explainFileError(path, error) {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  return cannotWrite(path, EXPLANATIONS.get(String(error.code)) ?? error.message, error);
}

/** @param {string} path @param {string | undefined} explanation @param {unknown} [cause] */
export function cannotWrite(path, explanation, cause) {
  return new RunError(`Cannot write ${maskPassword(path)}: ${explanation}`, {cause});
}

/** Parsing a longer Markdown file would take too long. */
export const maxMarkdownBytes = 5 * 1024 ** 2;

/**
 * Updates a text file: reads it, transforms the text and replaces the file atomically, under a lock. Readers see no partial file, and
 * updates of other processes are not lost. The file keeps its mode, and a symlink stays a symlink. An unchanged text is not written.
 * @param {string} path
 * @param {(text: string) => string | Promise<string>} transform receives an empty text if the file does not exist, and is
 *   called again if another process has changed the file in the meantime; updateFile passes on its errors
 * @param {{waitMs?: number, signal?: AbortSignal}} [options] waitMs: the time limit of the wait for the lock, default 60 s
 * @returns {Promise<void>}
 * @throws {RunError} when the file cannot be updated; the file is then unchanged, and no temporary file is left
 */
export async function updateFile(path, transform, {waitMs = 60_000, signal} = {}) {
  await explainingErrors(path, async () => {
    const target = await checkTarget(path);
    refuseJournal(path, target);
    // The lock would expire during a long transform, so the transform runs before. Its result is used if the text is unchanged.
    const before = await readText(path, target);
    const planned = await transform(before);
    await withFileLock(target, {waitMs, signal}, async () => {
      const text = await readText(path, target);
      const updated = text === before ? planned : await transform(text);
      if (updated !== text) await writeWhole(target, updated);
    });
  });
}

/** Refuses a link to a journal, because a journal must only be appended to. @param {string} path @param {string} target */
function refuseJournal(path, target) {
  if (/\.ndjson$/i.test(target)) throw cannotWrite(path, `it is the journal ${target}. Name another file.`);
}

/**
 * Checks, without writing, whether updateFile would accept a file. A missing file in a writable folder is accepted. A
 * full disk cannot be detected before the write.
 * @param {string} path
 * @returns {Promise<string>} the text; empty if the file does not exist
 * @throws {RunError}
 */
export async function assertWritable(path) {
  return await explainingErrors(path, async () => {
    const target = await checkTarget(path);
    refuseJournal(path, target);
    return await readText(path, target);
  });
}

/** @template Result @param {string} path @param {() => Promise<Result>} action */
async function explainingErrors(path, action) {
  try {
    return await action();
  } catch (error) {
    throw explainFileError(path, error);
  }
}

/**
 * Reads a whole file and keeps its byte order mark. Refuses invalid UTF-8, which could not be written back unchanged.
 * @param {string} path @param {string} target
 * @returns {Promise<string>} empty if the file does not exist
 */
async function readText(path, target) {
  const stats = await stat(target).catch(ignoreMissing);
  if (stats && stats.size > maxMarkdownBytes)
    throw cannotWrite(
      path,
      `it has ${stats.size} bytes, and at most ${maxMarkdownBytes} are supported. Name another file.`,
    );
  const bytes = (await readFile(target).catch(ignoreMissing)) ?? Buffer.alloc(0);
  if (!isUtf8(bytes))
    throw cannotWrite(path, 'it is not UTF-8 text. Convert it to UTF-8, or name another file.');
  return bytes.toString();
}

/**
 * Replaces a file atomically: temporary file in the same folder, fsync, rename.
 *
 * The library writes a text with one write call and ignores the number of written bytes. A nearly full disk would truncate the file without
 * an error. Therefore the library gets an empty text, and writeFileSync fills the temporary file: it writes everything or throws.
 * @param {string} target @param {string} text
 */
async function writeWhole(target, text) {
  // The import is here because help and completion write no file.
  const {default: writeFileAtomic} = await import('write-file-atomic');
  await writeFileAtomic(target, '', {tmpfileCreated: (temporary) => writeFileSync(temporary, text)});
}
