import {mkdir, rm, writeFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join, resolve} from 'node:path';

/** The roles that have a host. */
export const hostRoles = /** @type {const} */ (['client', 'server', 'broker']);

/**
 * How ssh reaches the hosts of a stack.
 * @typedef {object} Access
 * @property {string} config for `ssh -F`
 * @property {Record<typeof hostRoles[number], string>} names what the hosts are called there
 */

/**
 * Writes what ssh is to read for the hosts of a stack, with names for them. What the person has set up goes before: a jump host, say, for
 * `Host t2.micro-*`. Host keys are taken at the first connection, for nobody knows them before, and kept apart from the person's own: the
 * hosts live for hours, and their addresses will be somebody else's.
 *
 * @param {string} stack its name
 * @param {{type: string, addresses: Record<string, string>, keyFile: string | null, personConfig: string | null}} hosts personConfig: an
 *   ssh_config file in the place of the person's usual one
 * @returns {Promise<Access>}
 */
export async function writeSshFiles(stack, {type, addresses, keyFile, personConfig}) {
  const folder = folderOf(stack);
  await mkdir(folder, {recursive: true, mode: 0o700});
  const names = Object.fromEntries(hostRoles.map((role) => [role, `${type}-${role}`]));
  const lines = [
    `# The hosts of ${stack}, while they are up: written by perf-battle ec2.`,
    `Include ${quote(personConfig === null ? join(homedir(), '.ssh', 'config') : resolve(personConfig))}`,
    ...hostRoles.map((role) => `Host ${names[role]}\n  HostName ${addresses[role]}`),
    `Host ${type}-*`,
    '  User ec2-user',
    ...(keyFile === null ? [] : [`  IdentityFile ${quote(keyFile)}`, '  IdentitiesOnly yes']),
    '  StrictHostKeyChecking accept-new',
    `  UserKnownHostsFile ${quote(join(folder, 'known_hosts'))}`,
    // ssh -F passes over the system's configuration too.
    ...(personConfig === null ? ['Host *', '  Include /etc/ssh/ssh_config'] : []),
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
