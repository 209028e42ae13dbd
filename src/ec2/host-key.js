import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {UnavailableError} from '../errors.js';

const run = promisify(execFile);

/**
 * The ssh host key of new hosts, in OpenSSH's formats.
 * @typedef {object} HostKey
 * @property {string} privateKey
 * @property {string} publicKey its type and its data, without a comment
 */

/**
 * Makes a host key before the hosts exist. They get it with their user data, so that even the first connection is to a known host.
 * @returns {Promise<HostKey>}
 * @throws {UnavailableError} when ssh-keygen cannot be started
 */
export async function makeHostKey() {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-key-'));
  const file = join(folder, 'key');
  try {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file]);
    const [privateKey, publicKey] = await Promise.all(
      [file, `${file}.pub`].map((path) => readFile(path, 'utf8')),
    );
    return {privateKey, publicKey: publicKey.trim()};
  } catch (error) {
    throw new UnavailableError(
      `ssh-keygen could not make the key of the hosts: ${/** @type {Error} */ (error).message.split('\n')[0]}`,
      {code: 'PB_HOST_UNAVAILABLE', cause: error},
    );
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
