import {rm, writeFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join, resolve} from 'node:path';
import {makeFolders} from '../files/folders.js';

/** The roles that have a host on EC2. The broker's is the last. */
export const hostRoles = /** @type {const} */ (['client', 'server', 'broker']);

/**
 * How ssh reaches the hosts of a stack.
 * @typedef {object} Access
 * @property {string} config for `ssh -F`
 * @property {Record<typeof hostRoles[number], string>} names of the hosts in that file
 */

/**
 * Writes the ssh configuration for the hosts of a stack and names them. What the hosts need comes first, because the first value counts in
 * ssh: the user's `Host *` is for other hosts. The user's configuration follows with all the rest, such as a jump host for `Host t2.micro-*`.
 * The hosts' key is known from their creation.
 *
 * @param {string} stack its name
 * @param {{type: string, addresses: Record<string, string>, hostKey: string, keyFile: string | null, userConfig: string | null}} hosts
 *   hostKey: the public one; userConfig: an ssh_config file instead of the user's default one
 * @returns {Promise<Access>}
 */
export async function writeSshFiles(stack, {type, addresses, hostKey, keyFile, userConfig}) {
  const folder = folderOf(stack);
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
    ...(keyFile === null ? [] : [`  IdentityFile ${quote(keyFile)}`, '  IdentitiesOnly yes']),
    '  StrictHostKeyChecking yes',
    '  HostKeyAlgorithms ssh-ed25519',
    // Not the addresses, because AWS uses them again.
    `  HostKeyAlias ${stack}`,
    `  UserKnownHostsFile ${quote(knownHosts)}`,
    '  GlobalKnownHostsFile none',
    '  UpdateHostKeys no',
    'Host *',
    `  Include ${quote(userConfig === null ? join(homedir(), '.ssh', 'config') : resolve(userConfig))}`,
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
  await rm(folderOf(stack), {recursive: true, force: true});
}

/** @param {string} stack */
function folderOf(stack) {
  return join(homedir(), '.cache', 'perf-battle', 'ec2', stack);
}

/** @param {string} path */
function quote(path) {
  return `"${path}"`;
}
