import {execFile} from 'node:child_process';
import {access, readFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';
import {UsageError} from '../errors.js';

const run = promisify(execFile);
/** EC2 takes keys of these two kinds. */
const usualNames = ['id_ed25519', 'id_rsa'];

/**
 * With what the person logs in.
 * @typedef {object} SshKey
 * @property {string | null} file what ssh is told to use; null: what it uses anyway
 * @property {string} publicKey that the hosts are to take, as OpenSSH writes it; empty when EC2 has it already
 * @property {string} pairName of EC2, in that case; else empty
 */

/**
 * @param {string | null} asked a file, or the name of a key pair that EC2 has in the region; null: the person's usual key
 * @param {string} [home]
 * @returns {Promise<SshKey>}
 * @throws {UsageError} when there is none
 */
export async function findSshKey(asked, home = homedir()) {
  if (asked !== null) {
    const file = resolve(asked.replace(/^~(?=\/)/, home));
    if (await exists(file)) return {file, publicKey: await readPublicKey(file), pairName: ''};
    if (!asked.includes('/')) return {file: null, publicKey: '', pairName: asked};
    throw new UsageError(
      `--key must be the path of an ssh key, or the name of a key pair that EC2 has in the region; there is no file ${file}.`,
    );
  }
  for (const name of usualNames) {
    const file = join(home, '.ssh', name);
    if (await exists(`${file}.pub`)) return {file, publicKey: await readPublicKey(file), pairName: ''};
  }
  throw new UsageError(
    `There is no ssh key in ${join(home, '.ssh')} (${usualNames.join(', ')}). Make one with ssh-keygen -t ed25519, or name one with --key.`,
  );
}

/** @param {string} file of the private key, or of its public half */
async function readPublicKey(file) {
  if (file.endsWith('.pub')) return (await readFile(file, 'utf8')).trim();
  if (await exists(`${file}.pub`)) return (await readFile(`${file}.pub`, 'utf8')).trim();
  try {
    // An empty passphrase, so that nothing is asked for.
    return (await run('ssh-keygen', ['-y', '-P', '', '-f', file])).stdout.trim();
  } catch (error) {
    throw new UsageError(`The public half of ${file} is not beside it, and ssh-keygen could not make it.`, {
      cause: error,
    });
  }
}

/** @param {string} path */
function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}
