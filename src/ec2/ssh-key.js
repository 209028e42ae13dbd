import {execFile} from 'node:child_process';
import {access, mkdtemp, readFile, rm} from 'node:fs/promises';
import {homedir, tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';
import {UnavailableError, UsageError} from '../errors.js';
import {quote} from '../files/given-text.js';

const run = promisify(execFile);
/** ssh's default names of the two key types that EC2 supports. */
const defaultNames = ['id_ed25519', 'id_rsa'];

/**
 * The key with which the user logs in.
 * @typedef {object} SshKey
 * @property {string | null} file the identity file for ssh; null: ssh's default
 * @property {string} publicKey for the hosts, in OpenSSH's format; empty when EC2 has the key pair already
 * @property {string} pairName the name of EC2's key pair; empty when publicKey is given
 */

/**
 * @param {string | null} given a file, or the name of a key pair of EC2 in the region; null: the user's default key
 * @param {string} [home]
 * @returns {Promise<SshKey>}
 * @throws {UsageError} when there is no such key
 */
export async function findSshKey(given, home = homedir()) {
  return given === null ? await findDefaultKey(join(home, '.ssh')) : await findGivenKey(given, home);
}

/** @param {string} given @param {string} home @returns {Promise<SshKey>} */
async function findGivenKey(given, home) {
  const file = resolve(given.replace(/^~(?=\/)/, home));
  if (await exists(file)) return {file, publicKey: await readPublicKey(file), pairName: ''};
  if (!given.includes('/')) return {file: null, publicKey: '', pairName: given};
  throw new UsageError(
    `--key must be the path of an ssh key, or the name of an EC2 key pair in the region; there is no file ${quote(file)}.`,
  );
}

/** @param {string} folder @returns {Promise<SshKey>} */
async function findDefaultKey(folder) {
  for (const name of defaultNames) {
    const file = join(folder, name);
    if (await exists(`${file}.pub`)) return {file, publicKey: await readPublicKey(file), pairName: ''};
  }
  throw new UsageError(
    `There is no ssh key in ${folder} (${defaultNames.join(', ')}). Create one with ssh-keygen -t ed25519, or name one with --key.`,
  );
}

/** @param {string} file the private key or the public key */
async function readPublicKey(file) {
  if (file.endsWith('.pub')) return (await readFile(file, 'utf8')).trim();
  if (await exists(`${file}.pub`)) return (await readFile(`${file}.pub`, 'utf8')).trim();
  try {
    // An empty passphrase, so that ssh-keygen does not ask for one.
    return (await run('ssh-keygen', ['-y', '-P', '', '-f', file])).stdout.trim();
  } catch (error) {
    throw new UsageError(`${file}.pub does not exist, and ssh-keygen could not derive it from ${file}.`, {
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
