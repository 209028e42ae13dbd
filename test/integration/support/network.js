/**
 * Test hosts that ssh reaches: network namespaces on a bridge. Each has its own OpenSSH server, host name, home folder, /tmp and
 * /run. They do not see the checkout. They share the rest: the CPUs, the clock, the programs and the process ids.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {access, constants, mkdir, readFile, writeFile} from 'node:fs/promises';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {run, searchPath} from './network-commands.js';
import {
  addressIn,
  connectToBridge,
  limitLink,
  makeBridge,
  processesIn,
  setLink,
  unlimitLink,
} from './network-links.js';
import {hostKeyFile, makeKey, restartWithKey, sshdProgram, sshPort, startSshd} from './network-sshd.js';

/** @import {Socket} from 'node:net' */

const supervisorScript = fileURLToPath(new URL('./network-supervisor.js', import.meta.url));

/**
 * @typedef {object} Host
 * @property {string} name its host name, also in the ssh configuration
 * @property {string} address
 * @property {string} user
 * @property {string} home the folder that is the user's home there, as a path here
 * @property {string} tmp the folder that is /tmp there, as a path here
 * @property {string} log the file that its sshd writes
 * @property {string} namespace the name of its network namespace
 * @property {string} link the end of its link that is at the bridge
 * @property {string} folder of its own files
 * @property {number} pid of its sshd
 */

/**
 * @param {readonly string[]} names such as alpha: letters, digits and hyphens
 * @throws when this system does not support it, naming what is missing
 */
export async function makeNetwork(names) {
  await assertPossible();
  const supervisor = await startSupervisor();
  try {
    return await build(names, supervisor);
  } catch (error) {
    // The next network's supervisor tries again to remove what is left.
    await supervisor.end().catch(() => {});
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof makeNetwork>>} Network */

/** @param {readonly string[]} names @param {Supervisor} supervisor */
async function build(names, {subnet, folder, end}) {
  const client = join(folder, 'client');
  await mkdir(client);
  const authorizedKey = await makeKey(join(client, 'key'));
  const hostsFile = [
    '127.0.0.1 localhost',
    '::1 localhost',
    ...names.map((name, index) => `${addressIn(subnet, index + 2)} ${name}`),
  ].join('\n');
  await makeBridge(subnet);
  /** @type {Host[]} */
  const made = [];
  for (const [index, name] of names.entries()) {
    const address = addressIn(subnet, index + 2);
    const ends = await connectToBridge(subnet, name, index + 2);
    const place = {name, address, ...ends, folder: join(folder, name)};
    const pid = await startSshd(place, {authorizedKey, hostsFile: `${hostsFile}\n`});
    made.push({
      ...place,
      user: userInfo().username,
      home: join(place.folder, 'home'),
      tmp: join(place.folder, 'tmp'),
      log: join(place.folder, 'sshd.log'),
      pid,
    });
  }
  const sshConfig = await writeClientFiles(client, made);
  const hosts = Object.fromEntries(made.map((host) => [host.name, host]));

  return {
    hosts,
    /** For `ssh -F`. */
    sshConfig,
    /** The address under which the hosts reach servers of this host. */
    gateway: addressIn(subnet, 1),
    /** The processes of a host, without those of sshd. @param {string} name */
    processesOf: (name) => processesIn(hosts[name].namespace),
    /** What its sshd has logged. @param {string} name */
    logOf: (name) => readFile(hosts[name].log, 'utf8'),
    /** Disconnects a host from the network. @param {string} name */
    cutOff: (name) => setLink(hosts[name], 'down'),
    /** @param {string} name */
    reconnect: (name) => setLink(hosts[name], 'up'),
    /** Limits the rate in both directions. @param {string} name @param {{rate: string}} limit in tc's notation: 100mbit */
    limit: (name, {rate}) => limitLink(hosts[name], rate),
    /** Back to 1 gbit. @param {string} name */
    unlimit: (name) => unlimitLink(hosts[name]),
    /** Runs a program there to its end, without ssh. @param {string} name @param {string} program @param {readonly string[]} [parameters] */
    run: (name, program, parameters = []) => {
      const {pid, user} = hosts[name];
      const enter = [
        '--target',
        String(pid),
        '--net',
        '--mount',
        '--root',
        '--wd',
        '--uts',
        '--',
        program,
        ...parameters,
      ];
      return run('nsenter', enter, {HOME: userInfo().homedir, USER: user, LOGNAME: user});
    },
    /** Replaces the host key, so that it differs from the known one. @param {string} name */
    changeHostKey: (name) => restartWithKey(hosts[name], null),
    /** @param {string} name @param {string} key the private one */
    setHostKey: (name, key) => restartWithKey(hosts[name], key),
    /** Ends all processes on the hosts, and removes the hosts with their files. */
    close: end,
  };
}

/** @param {string} folder @param {readonly Host[]} hosts */
async function writeClientFiles(folder, hosts) {
  const known = await Promise.all(
    hosts.map(
      async (host) =>
        `[${host.address}]:${sshPort} ${await readFile(`${hostKeyFile(host.folder)}.pub`, 'utf8')}`,
    ),
  );
  await writeFile(join(folder, 'known_hosts'), known.join(''));
  const sections = hosts.map(
    ({name, address, user}) => `Host ${name}
  HostName ${address}
  User ${user}
  Port ${sshPort}
  IdentityFile "${join(folder, 'key')}"
  IdentitiesOnly yes
  UserKnownHostsFile "${join(folder, 'known_hosts')}"
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
`,
  );
  await writeFile(join(folder, 'config'), sections.join('\n'));
  return join(folder, 'config');
}

async function assertPossible() {
  const programs = ['ip', 'tc', 'ssh', 'ssh-keygen', 'nsenter', 'unshare', 'mount', 'hostname'];
  const missing = [];
  if (process.getuid?.() !== 0) missing.push('root');
  if (!(await isExecutable(sshdProgram))) missing.push(sshdProgram);
  for (const program of programs) {
    const found = await Promise.all(
      searchPath.split(':').map((folder) => isExecutable(join(folder, program))),
    );
    if (!found.includes(true)) missing.push(program);
  }
  if (['/tmp', userInfo().homedir].some((folder) => process.execPath.startsWith(`${folder}/`)))
    missing.push(`a Node.js that the hosts see too (they do not see ${process.execPath})`);
  if (missing.length === 0) return;
  throw new Error(
    `Hosts for tests cannot be made here, without ${missing.join(', ')}. As root: apt-get install openssh-server iproute2`,
  );
}

/** @param {string} path */
async function isExecutable(path) {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * @typedef {object} Supervisor
 * @property {number} subnet
 * @property {string} folder
 * @property {() => Promise<void>} end settles when everything is removed
 */

/** @returns {Promise<Supervisor>} */
async function startSupervisor() {
  const child = spawn(process.execPath, [supervisorScript], {
    detached: true,
    cwd: '/',
    env: {PATH: searchPath, TMPDIR: process.env.TMPDIR},
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const closed = once(child, 'close').then(([code, signal]) => {
    if (code !== 0)
      throw new Error(`The supervisor of the test hosts ended with ${code ?? signal}: ${errors}`);
  });
  closed.catch(() => {});
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    closed.then(() => ['']),
  ]);
  // Tests that do not close a network can still end; the supervisor then ends too.
  const handles = /** @type {Pick<Socket, 'ref' | 'unref'>[]} */ (
    /** @type {unknown} */ ([child, child.stdin, child.stdout, child.stderr])
  );
  for (const handle of handles) handle.unref();
  return {
    ...JSON.parse(line),
    end: () => {
      for (const handle of handles) handle.ref();
      child.stdin.end();
      return closed;
    },
  };
}
