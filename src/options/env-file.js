import {readFileSync} from 'node:fs';
import {parseEnv} from 'node:util';
import {UsageError} from '../errors.js';

/**
 * The PB_ lines of a .env file. Lines of other programs are ignored. A missing file counts as empty.
 * @param {string} path
 * @returns {Record<string, string>}
 * @throws {UsageError} when the file exists but cannot be read
 */
export function readEnvFile(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return {};
    throw new UsageError(`${path} exists but cannot be read: ${/** @type {Error} */ (error).message}`, {
      cause: error,
    });
  }
  const entries = Object.entries(parseEnv(text)).filter(([name]) => name.startsWith('PB_'));
  return /** @type {Record<string, string>} */ (Object.fromEntries(entries));
}
