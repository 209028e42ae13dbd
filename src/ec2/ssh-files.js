import {mkdir, rm, writeFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join, resolve} from 'node:path';

/** The roles that have a host on EC2. The broker's is the last. */
export const hostRoles = /** @type {const} */ (['client', 'server', 'broker']);

/**
 * How ssh reaches the hosts of a stack.
 * @typedef {object} Access
 * @property {string} config for `ssh -F`
 * @property {Record<typeof hostRoles[number], string>} names of the hosts in that file
 */

/**
 * Writes the ssh configuration for the hosts of a stack and names them. The user's configuration comes first and takes precedence: for
 * example a jump host for `Host t2.micro-*`. Host keys are unknown in advance, so the first connection accepts them. They have a
 * known_hosts file of their own, because the hosts live for hours and AWS reuses their addresses.
 *
 * @param {string} stack its name
 * @param {{type: string, addresses: Record<string, string>, keyFile: string | null, userConfig: string | null}} hosts userConfig: an
 *   ssh_config file instead of the user's default one
 * @returns {Promise<Access>}
 */
export async function writeSshFiles(stack, {type, addresses, keyFile, userConfig}) {
  const folder = folderOf(stack);
  await mkdir(folder, {recursive: true, mode: 0o700});
  const names = Object.fromEntries(hostRoles.map((role) => [role, `${type}-${role}`]));
  const lines = [
    `# Written by perf-battle ec2 for the running hosts of ${stack}.`,
    `Include ${quote(userConfig === null ? join(homedir(), '.ssh', 'config') : resolve(userConfig))}`,
    ...hostRoles.map((role) => `Host ${names[role]}\n  HostName ${addresses[role]}`),
    `Host ${type}-*`,
    '  User ec2-user',
    ...(keyFile === null ? [] : [`  IdentityFile ${quote(keyFile)}`, '  IdentitiesOnly yes']),
    '  StrictHostKeyChecking accept-new',
    `  UserKnownHostsFile ${quote(join(folder, 'known_hosts'))}`,
    // With -F, ssh does not read the system's configuration.
    ...(userConfig === null ? ['Host *', '  Include /etc/ssh/ssh_config'] : []),
  ];
  const config = join(folder, 'ssh_config');
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
