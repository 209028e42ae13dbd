import {parseEnv} from 'node:util';
import {UsageError} from '../errors.js';
import {readGivenText} from '../files/given-file.js';

const maxBytes = 1024 ** 2;

/**
 * The PB_ lines of a .env file. Lines of other programs are ignored. A missing file counts as empty.
 * @param {string} path
 * @returns {Record<string, string>}
 * @throws {UsageError} when the file exists but cannot be read
 */
export function readEnvFile(path) {
  const entries = Object.entries(parseEnv(readOrEmpty(path))).filter(([name]) => name.startsWith('PB_'));
  return /** @type {Record<string, string>} */ (Object.fromEntries(entries));
}

/** @param {string} path */
function readOrEmpty(path) {
  try {
    return readGivenText(path, {maxBytes});
  } catch (error) {
    const {cause, message} = /** @type {UsageError} */ (error);
    if (/** @type {NodeJS.ErrnoException | undefined} */ (cause)?.code === 'ENOENT') return '';
    throw new UsageError(`The settings file in this folder cannot be used: ${message}`, {cause: error});
  }
}
