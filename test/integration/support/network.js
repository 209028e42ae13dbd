/**
 * Hosts that ssh reaches, for tests: network namespaces on a bridge, each with an OpenSSH server, and with a host name, a home
 * folder, /tmp and /run of its own. They do not see the checkout. What they share is the rest: the CPUs, the clock, the programs,
 * and the process ids.
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
import {hostKeyFile, makeKey, restartWithNewKey, sshdProgram, sshPort, startSshd} from './network-sshd.js';

/** @import {Socket} from 'node:net' */

const keeperScript = fileURLToPath(new URL('./network-keeper.js', import.meta.url));

/**
 * @typedef {object} Host
 * @property {string} name its host name, also what it is called in the ssh configuration
 * @property {string} address
 * @property {string} user
 * @property {string} home the folder that is the user's home there, as a path here
 * @property {string} tmp the folder that is /tmp there, as a path here
 * @property {string} log the file that its sshd writes
 * @property {string} namespace the network namespace, as `ip netns` calls it
 * @property {string} link the end of its link that is at the bridge
 * @property {string} folder of all that is its own
 * @property {number} pid of its sshd
 */

/**
 * @param {readonly string[]} names such as alpha: letters, digits and hyphens
 * @throws when it cannot be done here, naming what is missing
 */
export async function makeNetwork(names) {
  await assertPossible();
  const keeper = await startKeeper();
  try {
    return await build(names, keeper);
  } catch (error) {
    // What cannot be cleared away now the next network's keeper tries again.
    await keeper.end().catch(() => {});
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof makeNetwork>>} Network */

/** @param {readonly string[]} names @param {Keeper} keeper */
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
    /** Where the hosts reach what listens here. */
    gateway: addressIn(subnet, 1),
    /** All that runs on a host, without sshd's own. @param {string} name */
    processesOf: (name) => processesIn(hosts[name].namespace),
    /** As when its cable is pulled out. @param {string} name */
    cutOff: (name) => setLink(hosts[name], 'down'),
    /** @param {string} name */
    reconnect: (name) => setLink(hosts[name], 'up'),
    /** Both what it sends and what it receives. @param {string} name @param {{rate: string}} limit as tc reads it: 100mbit */
    limit: (name, {rate}) => limitLink(hosts[name], rate),
    /** @param {string} name */
    unlimit: (name) => unlimitLink(hosts[name]),
    /** Runs a program there to its end, not over ssh. @param {string} name @param {string} program @param {readonly string[]} [parameters] */
    run: (name, program, parameters = []) => {
      const {pid, user} = hosts[name];
      const enter = ['--target', String(pid), '--net', '--mount', '--uts', '--', program, ...parameters];
      return run('nsenter', enter, {HOME: userInfo().homedir, USER: user, LOGNAME: user});
    },
    /** It is then no longer the one that is known. @param {string} name */
    changeHostKey: (name) => restartWithNewKey(hosts[name]),
    /** Ends all that runs on the hosts, and removes them with all that is theirs. */
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
 * @typedef {object} Keeper
 * @property {number} subnet
 * @property {string} folder
 * @property {() => Promise<void>} end everything is gone when it settles
 */

/** @returns {Promise<Keeper>} */
async function startKeeper() {
  const child = spawn(process.execPath, [keeperScript], {
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
    if (code !== 0) throw new Error(`The keeper of the test hosts ended with ${code ?? signal}: ${errors}`);
  });
  closed.catch(() => {});
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    closed.then(() => ['']),
  ]);
  // Tests that forget to close a network can end: then it does by itself.
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
