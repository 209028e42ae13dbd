/**
 * The OpenSSH server of a test host, which also holds the host's namespaces.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmod, mkdir, open, readFile, rm, writeFile} from 'node:fs/promises';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {mustRun, searchPath} from './network-commands.js';

export const sshdProgram = '/usr/sbin/sshd';
export const sshPort = 2222;
/** Who logs in to the hosts of Amazon Linux. */
const cloudUser = 'ec2-user';

const checkout = fileURLToPath(new URL('../../../', import.meta.url));
const timeoutMs = 10_000;

/**
 * The paths that a host replaces with its own, from its folder. A checkout in the home folder is gone with it. /tmp is the last, because it
 * may contain the folder.
 */
const own = [
  ['home', userInfo().homedir],
  ['ssh', '/etc/ssh'],
  ['hosts', '/etc/hosts'],
  ['passwd', '/etc/passwd'],
  ['nothing', checkout],
  ['tmp', '/tmp'],
];

const startScript = `
set -e
hostname "$1"
${own.map(([name, path]) => `[ ! -e '${path}' ] || mount --bind "$2/${name}" '${path}'`).join('\n')}
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/sshd
exec ${sshdProgram} -D -e -f /etc/ssh/sshd_config
`;

/**
 * @param {object} host
 * @param {string} host.name
 * @param {string} host.address
 * @param {string} host.namespace
 * @param {string} host.folder for the host's own files
 * @param {{authorizedKey: string, hostsFile: string}} contents
 */
export async function startSshd({name, address, namespace, folder}, {authorizedKey, hostsFile}) {
  for (const part of ['home', 'ssh', 'nothing', 'tmp']) await mkdir(join(folder, part), {recursive: true});
  await chmod(join(folder, 'home'), 0o700);
  await chmod(join(folder, 'tmp'), 0o1777);
  await writeFile(join(folder, 'hosts'), hostsFile);
  await writeFile(join(folder, 'passwd'), await usersWith(cloudUser));
  await writeFile(join(folder, 'ssh', 'authorized_keys'), authorizedKey);
  await writeFile(join(folder, 'ssh', 'sshd_config'), configuration(address));
  await makeHostKey(folder);
  const log = await open(join(folder, 'sshd.log'), 'a');
  const child = spawn(
    'nsenter',
    [
      ...[`--net=/run/netns/${namespace}`, 'unshare', '--mount', '--uts', '--propagation', 'slave'],
      ...['sh', '-c', startScript, 'sh', name, folder],
    ],
    // Not the checkout, because the host could access it through the working directory.
    {cwd: '/', env: {PATH: searchPath}, stdio: ['ignore', log.fd, log.fd]},
  );
  // The network's supervisor ends it.
  child.unref();
  try {
    await once(child, 'spawn');
  } finally {
    await log.close();
  }
  await listens(folder, 1, () => child.exitCode === null && child.signalCode === null);
  return child.pid ?? 0;
}

/** The users of this system and one more, who is root by another name. @param {string} name */
async function usersWith(name) {
  return `${await readFile('/etc/passwd', 'utf8')}${name}:x:0:0::${userInfo().homedir}:/bin/sh\n`;
}

/** @param {string} folder of the host @returns {Promise<string>} the public key */
async function makeHostKey(folder) {
  const file = hostKeyFile(folder);
  await rm(file, {force: true});
  await rm(`${file}.pub`, {force: true});
  return await makeKey(file);
}

/** @param {string} folder of the host */
export const hostKeyFile = (folder) => join(folder, 'ssh', 'ssh_host_ed25519_key');

/** @param {string} file @returns {Promise<string>} the public key */
export async function makeKey(file) {
  await mustRun('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', 'perf-battle test', '-f', file);
  return await readFile(`${file}.pub`, 'utf8');
}

/**
 * @param {{folder: string, pid: number}} host
 * @param {string | null} key in OpenSSH's format; null: a new one
 */
export async function restartWithKey({folder, pid}, key) {
  if (key === null) await makeHostKey(folder);
  else await writeFile(hostKeyFile(folder), key, {mode: 0o600});
  const before = await countListens(folder);
  // sshd restarts itself in the same process.
  process.kill(pid, 'SIGHUP');
  await listens(folder, before + 1, () => true);
}

/** @param {string} folder @param {number} times @param {() => boolean} runs */
async function listens(folder, times, runs) {
  const deadline = Date.now() + timeoutMs;
  while ((await countListens(folder)) < times) {
    if (!runs() || Date.now() > deadline)
      throw new Error(
        `sshd does not listen. It printed:\n${await readFile(join(folder, 'sshd.log'), 'utf8')}`,
      );
    await sleep(10);
  }
}

/** @param {string} folder */
async function countListens(folder) {
  const log = await readFile(join(folder, 'sshd.log'), 'utf8');
  return [...log.matchAll(/^Server listening on /gm)].length;
}

/** @param {string} address */
const configuration = (address) => `
Port ${sshPort}
ListenAddress ${address}
HostKey /etc/ssh/ssh_host_ed25519_key
AuthorizedKeysFile /etc/ssh/authorized_keys
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PidFile none
PrintMotd no
LogLevel VERBOSE
SetEnv PATH=${searchPath}
Subsystem sftp internal-sftp
`;
