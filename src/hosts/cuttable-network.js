import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {RunError} from '../errors.js';
import {LocalHost} from './local.js';

/** The addresses are in the range for benchmarks of network devices (https://www.rfc-editor.org/rfc/rfc2544#appendix-C.2.2). Only the namespaces see them. */
const ends = {
  far: {address: '198.18.0.1', hardware: '02:00:00:00:00:01'},
  near: {address: '198.18.0.2', hardware: '02:00:00:00:00:02'},
};
const link = 'link0';

const environment = {
  PATH: ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(':'),
  LC_ALL: 'C',
};
/** A command takes some milliseconds. */
const commandMs = 30_000;

/**
 * Keeps a namespace until standard input ends, which also happens when this process ends. Over a cut link, the kernel would keep the namespace for up to
 * two minutes more, for connections with unsent data whose processes have ended. The script therefore mends the link, and makes the kernel give up such
 * connections soon (https://docs.kernel.org/networking/ip-sysctl.html, tcp_orphan_retries).
 */
const holder = `cat
echo 1 >/proc/sys/net/ipv4/tcp_orphan_retries
tc qdisc del dev ${link} root 2>/dev/null`;

/** @returns {Promise<string | null>} why this host cannot have such a network, worded to follow "needs"; null if it can */
export async function whyNoNetwork() {
  const needed = 'root, ip and tc of iproute2, and nsenter and unshare of util-linux';
  if (process.getuid?.() !== 0) return needed;
  try {
    const network = await CuttableNetwork.open();
    try {
      await network.cut();
      await network.mend();
    } finally {
      await network.close();
    }
    return null;
  } catch (error) {
    return `${needed}; a try failed: ${/** @type {Error} */ (error).message.split('\n')[0]}`;
  }
}

/**
 * Two network namespaces of this host, joined by a virtual cable (veth, https://man7.org/linux/man-pages/man4/veth.4.html) that can be cut. The network
 * has no name or interface outside the namespaces. The kernel removes it with the last process in them.
 *
 * While the cable is cut, each end silently drops its packets (queueing discipline `blackhole`). A link that is set down would not be silent: its route
 * disappears, so new connections fail immediately. Each end has a permanent ARP entry of the other, because ARP does not notice a cut beyond a router either.
 */
export class CuttableNetwork {
  #isCut = false;

  /** @param {Holder} far @param {Holder} near */
  constructor(far, near) {
    this.holders = {far, near};
    /** The host of servers and brokers. */
    this.far = hostIn(far, ends.far);
    /** The host of clients. */
    this.near = hostIn(near, ends.near);
  }

  /** @throws {RunError} */
  static async open() {
    /** @type {Holder[]} */
    const started = [];
    try {
      for (const _ of ['far', 'near']) started.push(await startHolder());
      const [far, near] = started;
      await runIn(
        far,
        ['ip', '-batch', '-'],
        [
          `link add name ${link} address ${ends.far.hardware} type veth peer name ${link} address ${ends.near.hardware} netns ${near.pid}`,
          ...linesFor(ends.far, ends.near),
        ],
      );
      await runIn(near, ['ip', '-batch', '-'], linesFor(ends.near, ends.far));
      return new CuttableNetwork(far, near);
    } catch (error) {
      await Promise.all(started.map(({end}) => end()));
      throw error;
    }
  }

  async cut() {
    this.#isCut = true;
    await this.#onBoth('replace', 'blackhole');
  }

  async mend() {
    if (!this.#isCut) return;
    this.#isCut = false;
    await this.#onBoth('del');
  }

  /** Removes the network after the processes in it have ended. */
  async close() {
    await Promise.all(Object.values(this.holders).map(({end}) => end()));
  }

  /** @param {string} action @param {readonly string[]} discipline */
  async #onBoth(action, ...discipline) {
    const command = ['tc', 'qdisc', action, 'dev', link, 'root', ...discipline];
    await Promise.all(Object.values(this.holders).map((one) => runIn(one, command)));
  }
}

/** @typedef {{pid: number, end: () => Promise<void>}} Holder */

/** @returns {Promise<Holder>} the process that keeps a new namespace */
async function startHolder() {
  const command = ['--net', '--', 'sh', '-c', holder];
  // The separate process group protects the holder from Ctrl-C in a terminal.
  const child = spawn('unshare', command, {
    detached: true,
    cwd: '/',
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  const gone = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(`unshare ended with exit code ${code}`));
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  // cat repeats the line feed as soon as the namespace exists.
  child.stdin.write('\n');
  const isThere = await Promise.race([once(child.stdout, 'data').then(() => true), gone.then(() => false)]);
  if (!isThere) throw failed(errors.trim() || String(await gone));
  const end = async () => {
    child.stdin.end();
    await gone;
  };
  return {pid: Number(child.pid), end};
}

/**
 * Returns the lines for `ip -batch` that set up one end.
 * @param {{address: string}} own @param {{address: string, hardware: string}} other
 */
function linesFor(own, other) {
  return [
    'link set lo up',
    `address add ${own.address}/30 dev ${link}`,
    `link set ${link} up`,
    `neighbour add ${other.address} lladdr ${other.hardware} nud permanent dev ${link}`,
  ];
}

/** Returns a command prefix that runs a process in a namespace. nsenter replaces itself by the command, so the process keeps its pid. @param {Holder} holder */
function wordsInto({pid}) {
  return ['nsenter', `--net=/proc/${pid}/ns/net`, '--'];
}

/** @param {Holder} holder @param {{address: string}} end */
function hostIn(holder, {address}) {
  return new LocalHost({address, listenAddress: address}, wordsInto(holder));
}

/**
 * @param {Holder} holder @param {readonly string[]} command
 * @param {readonly string[]} [lines] the standard input of the command
 * @throws {RunError}
 */
async function runIn(holder, command, lines = []) {
  const [file, ...words] = [...wordsInto(holder), ...command];
  /** @type {Promise<void>} */
  const done = new Promise((resolve, reject) => {
    const child = execFile(file, words, {env: environment, timeout: commandMs}, (error, _, stderr) => {
      if (error) reject(failed(`${command.join(' ')}: ${stderr.trim() || error.message}`));
      else resolve();
    });
    child.stdin?.on('error', () => {}).end(lines.join('\n'));
  });
  await done;
}

/** @param {string} why */
function failed(why) {
  return new RunError(`The network between the roles cannot be made or cut: ${why}.`);
}
