import {homedir} from 'node:os';
import {join} from 'node:path';
import {UsageError} from '../errors.js';
import {maskPassword} from './mask-password.js';

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
