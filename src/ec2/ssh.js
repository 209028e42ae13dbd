import {execFile} from 'node:child_process';
import {access, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {homedir, tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {UnavailableError, UsageError} from '../errors.js';
import {makeFolders} from '../files/folders.js';
import {quote} from '../files/quote.js';
import {SshConnection} from '../hosts/ssh-connection.js';
import {cacheFolder} from '../packages/load.js';

/** @import {Access, HostKey, SshKey} from './types.js' */

const run = promisify(execFile);
/** ssh's default names of the two key types that EC2 supports. */
const defaultNames = ['id_ed25519', 'id_rsa'];

/**
 * @param {string | null} given a file, or the name of an EC2 key pair in the region; null: the user's default key @param {string} [home]
 * @returns {Promise<SshKey>} @throws {UsageError} when the key does not exist
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
    // With an empty passphrase, ssh-keygen does not ask for one.
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
 * Makes a host key before the hosts exist. The hosts get the key in their user data, so that ssh can verify even the first
 * connection.
 * @returns {Promise<HostKey>} @throws {UnavailableError} when ssh-keygen cannot be started
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

/** The roles that have a host on EC2. The broker must be last. */
export const hostRoles = /** @type {const} */ (['client', 'server', 'broker']);

/**
 * Writes the ssh configuration for the hosts of a stack, and names the hosts. The settings of the hosts come first, because
 * the first value counts in ssh, and the user's `Host *` is for other hosts. The user's configuration follows, with settings
 * such as a jump host for `Host t2.micro-*`.
 * @param {string} stack the name of the stack
 * @param {{type: string, addresses: Record<string, string>, hostKey: string, keyFile: string | null, userConfig: string | null}} hosts
 *   hostKey: the public host key; userConfig: an ssh_config file that replaces the user's default file
 * @returns {Promise<Access>}
 */
export async function writeSshFiles(stack, {type, addresses, hostKey, keyFile, userConfig}) {
  const folder = await folderOf(stack);
  await makeFolders(folder, {mode: 0o700});
  const names = Object.fromEntries(hostRoles.map((role) => [role, `${type}-${role}`]));
  const knownHosts = join(folder, 'known_hosts');
  const lines = [
    `# Written by perf-battle ec2 for the running hosts of ${stack}.`,
    ...hostRoles.map((role) => `Host ${names[role]}\n  HostName ${addresses[role]}`),
    `Host ${Object.values(names).join(' ')}`,
    '  User ec2-user',
    '  Port 22',
    '  PubkeyAuthentication yes',
    '  PreferredAuthentications publickey',
    ...(keyFile === null ? [] : [`  IdentityFile "${keyFile}"`, '  IdentitiesOnly yes']),
    '  StrictHostKeyChecking yes',
    '  HostKeyAlgorithms ssh-ed25519',
    // The alias replaces the addresses in known_hosts, because AWS reuses addresses.
    `  HostKeyAlias ${stack}`,
    `  UserKnownHostsFile "${knownHosts}"`,
    '  GlobalKnownHostsFile none',
    '  UpdateHostKeys no',
    'Host *',
    `  Include "${userConfig === null ? join(homedir(), '.ssh', 'config') : resolve(userConfig)}"`,
    // With -F, ssh does not read the system's configuration.
    ...(userConfig === null ? ['  Include /etc/ssh/ssh_config'] : []),
  ];
  const config = join(folder, 'ssh_config');
  await writeFile(knownHosts, `${stack} ${hostKey}\n`, {mode: 0o600});
  await writeFile(config, `${lines.join('\n')}\n`, {mode: 0o600});
  return {config, names: /** @type {Access['names']} */ (names)};
}

/** @param {string} stack */
export async function removeSshFiles(stack) {
  for (const folder of foldersOf(stack)) await rm(folder, {recursive: true, force: true});
}

/** A running stack keeps the folder that an earlier version made. @param {string} stack */
async function folderOf(stack) {
  const [folder, earlier] = foldersOf(stack);
  return !(await exists(folder)) && (await exists(earlier)) ? earlier : folder;
}

/** The folder for a stack, and that of earlier versions, which did not read XDG_CACHE_HOME. @param {string} stack */
function foldersOf(stack) {
  return [cacheFolder(), join(homedir(), '.cache', 'perf-battle')].map((cache) => join(cache, 'ec2', stack));
}

const pollMs = 5000;
const timeoutMs = 10 * 60_000;
/** A booting host may refuse a key for a moment. More refusals in a row have another cause. */
const maxLastingFailures = 3;
/** A command that prints the report of a host's user data. */
const readReport =
  'cd /run/perf-battle 2>/dev/null || exit 0; for file in ready failed; do [ -e $file ] && echo $file && cat $file; done; exit 0';

/**
 * Waits until the set-up of a booting host is complete.
 * @param {string} name the name of the host in the ssh configuration @param {string} config the ssh configuration file @param {AbortSignal} signal
 * @returns {Promise<{hasBroker: boolean}>} hasBroker: whether the broker is installed on the host
 * @throws {UnavailableError} when the set-up failed or did not finish in time
 */
export async function waitUntilReady(name, config, signal) {
  const deadline = performance.now() + timeoutMs;
  let lastingFailures = 0;
  for (;;) {
    const {report, error, isLasting} = await fetchReport(name, config, signal);
    signal.throwIfAborted();
    const [status, ...lines] = report.split('\n');
    if (status === 'ready') return {hasBroker: lines.includes('broker installed')};
    if (status === 'failed') throw unavailable(name, `failed to set itself up: ${lines.join(' ').trim()}`);
    lastingFailures = isLasting ? lastingFailures + 1 : 0;
    if (error && lastingFailures >= maxLastingFailures) throw error;
    if (performance.now() >= deadline) {
      const last = error?.message ?? 'Its set-up has not finished.';
      throw unavailable(name, `was not ready after ${timeoutMs / 60_000} minutes. ${last}`);
    }
    await sleep(pollMs, undefined, {signal}).catch(() => signal.throwIfAborted());
  }
}

/**
 * @param {string} name @param {string} config @param {AbortSignal} signal
 * @returns {Promise<{report: string, error: Error | null, isLasting: boolean}>} error: why the host cannot be reached; isLasting: whether
 *   another attempt would also fail
 */
async function fetchReport(name, config, signal) {
  const connection = new SshConnection(name, config);
  try {
    await connection.open(signal);
    return {report: (await connection.run(readReport, {signal})).stdout, error: null, isLasting: false};
  } catch (error) {
    return {report: '', error: /** @type {Error} */ (error), isLasting: connection.failsAlways};
  } finally {
    await connection.close();
  }
}

/** @param {string} name @param {string} failure */
function unavailable(name, failure) {
  return new UnavailableError(`The host ${name} ${failure}`, {code: 'PB_HOST_UNAVAILABLE'});
}
