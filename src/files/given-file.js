import {isUtf8} from 'node:buffer';
import {closeSync, constants, fstatSync, openSync, readSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {UsageError} from '../errors.js';

/** @import {Stats} from 'node:fs' */

/**
 * @typedef {{minBytes?: number, maxBytes: number}} SizeLimits
 */

/** The reason for each system error of a file that is to be read. */
const reasons = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist: a part of its path is a file, not a folder'],
  ['EACCES', 'cannot be read: permission denied'],
  ['EPERM', 'cannot be read: permission denied'],
  ['ELOOP', 'cannot be read: its symlinks form a loop'],
  ['ENAMETOOLONG', 'does not exist: its name is too long'],
]);

/**
 * Reads a file that a person named. A named pipe, a device or an endless file would block the program or fill its memory, so only a regular
 * file of a limited size is read.
 * @param {string} path @param {SizeLimits} limits @returns {Buffer}
 * @throws {UsageError} with a sentence that begins with the path; `cause.code` is ENOENT for a missing file
 */
export function readGivenFile(path, {minBytes = 0, maxBytes}) {
  return withFile(path, (file) => {
    const {size} = fstatSync(file);
    refuseSize(path, size, {minBytes, maxBytes});
    const content = readAtMost(file, maxBytes + 1, size);
    // A file of /proc has the size 0, and another one may grow.
    refuseSize(path, content.length, {minBytes, maxBytes});
    return content;
  });
}

/**
 * Reads a text that a person named, without its byte order mark.
 * @param {string} path @param {SizeLimits} limits @returns {string}
 * @throws {UsageError} like readGivenFile, and when the file is not UTF-8 text
 */
export function readGivenText(path, limits) {
  const content = readGivenFile(path, limits);
  // In UTF-16, every second byte of an English text is zero.
  if (content.includes(0) || !isUtf8(content))
    throw new UsageError(`${path} is not UTF-8 text. Convert it to UTF-8.`);
  return new TextDecoder().decode(content);
}

/**
 * Checks that a file could be read, without reading it.
 * @param {string} path @param {SizeLimits} limits
 * @returns {number} its size in bytes
 * @throws {UsageError} like readGivenFile
 */
export function checkGivenFile(path, limits) {
  return withFile(path, (file) => {
    const {size} = fstatSync(file);
    refuseSize(path, size, limits);
    return size;
  });
}

/**
 * @template Result
 * @param {string} path @param {(file: number) => Result} action
 */
function withFile(path, action) {
  const file = openRegular(path);
  try {
    return action(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Opening a device can have side effects, so the kind of the file is checked first.
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

/** @param {number} file @param {number} maxBytes @param {number} size as the system has it */
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
 * The path that a person means where no shell expands a tilde: in .env, in a variable, after `--results=`.
 * @param {string} path
 * @returns {string} with the home directory in place of a leading ~/
 * @throws {UsageError} for another leading tilde, such as the home directory of another user
 */
export function withHome(path) {
  if (path.startsWith('~/')) return join(homedir(), path.slice(2));
  if (!path.startsWith('~')) return path;
  throw new UsageError(
    `Only a leading ~/ stands for a home directory, which is yours. Write the whole path, or ./${maskPassword(path)} for a name that begins with ~.`,
  );
}

/**
 * A text that a person gave, as messages may show it. In any of them, what is between a colon and an @ may be a password. In a URL without an @,
 * what follows the second colon may be the beginning of one, unless it is a port: a space or another mark may have cut the text.
 * @param {string} text
 */
export function maskPassword(text) {
  return text
    .replace(/:.*@/s, ':***@')
    .replace(/(:\/\/[^:/@[\s]*:)(?!\d{1,5}(?:[/?#,;\s]|$)).*/s, (rest, before) =>
      rest.includes('@') ? rest : `${before}***`,
    );
}

/** A value that is longer than this is cut in messages. */
const maxLength = 80;

/**
 * A value as messages show it: a long one is cut, and its length is given.
 * @param {string} text @returns {string}
 */
export function shorten(text) {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… (${text.length} characters)`;
}

/**
 * The same in quotation marks, with control characters escaped, and what may be a password masked.
 * @param {string} text
 */
export function quote(text) {
  return JSON.stringify(shorten(maskPassword(text)));
}
