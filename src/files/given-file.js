import {isUtf8} from 'node:buffer';
import {closeSync, constants, fstatSync, openSync, readSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {UsageError} from '../errors.js';
import {maskPassword} from './quote.js';

/** @import {Stats} from 'node:fs' */

/** @typedef {{minBytes?: number, maxBytes: number}} SizeLimits */

/** The clause for each system error of reading a file. */
const reasons = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist: a part of its path is a file, not a folder'],
  ['EACCES', 'cannot be read: permission denied'],
  ['EPERM', 'cannot be read: permission denied'],
  ['ELOOP', 'cannot be read: its symlinks form a loop'],
  ['ENAMETOOLONG', 'does not exist: its name is too long'],
]);

/**
 * Reads a file that a person has named. The file must be regular and not too large: a named pipe or a device could block the
 * program, and an endless file could fill its memory.
 * @param {string} path @param {SizeLimits} limits @returns {Buffer}
 * @throws {UsageError} with a sentence that begins with the path; `cause.code` is ENOENT for a missing file
 */
export function readGivenFile(path, {minBytes = 0, maxBytes}) {
  return withFile(path, (file) => {
    const {size} = fstatSync(file);
    refuseSize(path, size, {minBytes, maxBytes});
    const content = readAtMost(file, maxBytes + 1, size);
    // A file in /proc has the size 0, and other files may grow.
    refuseSize(path, content.length, {minBytes, maxBytes});
    return content;
  });
}

/**
 * Reads a text file that a person has named, without its byte order mark.
 * @param {string} path @param {SizeLimits} limits @returns {string}
 * @throws {UsageError} like readGivenFile, and when the file is not UTF-8 text
 */
export function readGivenText(path, limits) {
  const content = readGivenFile(path, limits);
  // English text in UTF-16 contains zero bytes.
  if (content.includes(0) || !isUtf8(content))
    throw new UsageError(`${path} is not UTF-8 text. Convert it to UTF-8.`);
  return new TextDecoder().decode(content);
}

/**
 * Checks, without reading, whether readGivenFile would accept a file.
 * @param {string} path @param {SizeLimits} limits
 * @returns {number} the size in bytes
 * @throws {UsageError} like readGivenFile
 */
export function checkGivenFile(path, limits) {
  return withFile(path, (file) => {
    const {size} = fstatSync(file);
    refuseSize(path, size, limits);
    return size;
  });
}

/** @template Result @param {string} path @param {(file: number) => Result} action */
function withFile(path, action) {
  const file = openRegular(path);
  try {
    return action(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Checks the type of a file before it opens the file, because opening a device can have side effects.
 * @param {string} path
 * @returns {number} a file descriptor
 */
function openRegular(path) {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new UsageError(`${path} is ${kindOf(stats)}, not a regular file.`);
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const {code = '', message} = /** @type {NodeJS.ErrnoException} */ (error);
    const reason = reasons.get(code) ?? `cannot be read: ${maskPassword(message)}`;
    throw new UsageError(`${maskPassword(path)} ${reason}.`, {cause: error});
  }
}

/** @param {Stats} stats */
function kindOf(stats) {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** @param {string} path @param {number} size @param {SizeLimits} limits */
function refuseSize(path, size, {minBytes = 0, maxBytes}) {
  if (size > maxBytes) throw new UsageError(`${path} has more than the ${maxBytes} bytes that are allowed.`);
  if (size < minBytes)
    throw new UsageError(`${path} is ${size === 0 ? 'empty' : `shorter than ${minBytes} bytes`}.`);
}

/** @param {number} file @param {number} maxBytes @param {number} size the size that the system reports */
function readAtMost(file, maxBytes, size) {
  const parts = [];
  let length = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(Math.min(maxBytes - length, Math.max(65_536, size - length + 1)));
    const count = readSync(file, part);
    if (count === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, count));
    length += count;
    if (length >= maxBytes) return Buffer.concat(parts);
  }
}

/**
 * Expands a leading ~/ to the home directory, where no shell does: in .env, in a variable, and after `--results=`.
 * @param {string} path
 * @returns {string}
 * @throws {UsageError} for another leading tilde, such as the home directory of another user
 */
export function withHome(path) {
  if (path.startsWith('~/')) return join(homedir(), path.slice(2));
  if (!path.startsWith('~')) return path;
  throw new UsageError(
    `Only a leading ~/ stands for a home directory, which is yours. Write the whole path, or ./${maskPassword(path)} for a name that begins with ~.`,
  );
}
