/**
 * Creates and removes the links and namespaces of a network of test hosts.
 */
import {readdir, readFile, readlink} from 'node:fs/promises';
import {basename} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {killIfRunning} from './kill-if-running.js';
import {mustRun} from './network-commands.js';

/** @typedef {{namespace: string, link: string}} Ends link: the bridge's end of the link; the host's end is eth0 */

const patienceMs = 5000;
/** The processes of sshd: the listener, and those of a session, for which newer versions have separate programs. */
const sshdPrograms = /^sshd(-session|-auth)?( \(deleted\))?$/;

/** @param {number} subnet */
const nameOf = (subnet) => `pbn-${subnet}`;

/** @param {number} subnet @param {number} number of the host */
export const addressIn = (subnet, number) => `10.89.${subnet}.${number}`;

/** @returns {Promise<number[]>} the subnets without a route in this namespace */
export async function freeSubnets() {
  /** @type {{dst: string}[]} */
  const routes = JSON.parse(await mustRun('ip', '-json', 'route', 'show', 'table', 'all'));
  const used = new Set(routes.map(({dst}) => /^10\.89\.(\d+)\./.exec(dst)?.[1]));
  return Array.from({length: 254}, (_, index) => index + 1).filter((subnet) => !used.has(String(subnet)));
}

/** Creates a bridge with the first address. The hosts have no route to other networks. @param {number} subnet */
export async function makeBridge(subnet) {
  const bridge = nameOf(subnet);
  await mustRun('ip', 'link', 'add', bridge, 'type', 'bridge');
  await mustRun('ip', 'address', 'add', `${addressIn(subnet, 1)}/24`, 'dev', bridge);
  await mustRun('ip', 'link', 'set', bridge, 'up');
}

/**
 * @param {number} subnet
 * @param {string} name of the host
 * @param {number} number the last byte of its address
 * @returns {Promise<Ends>}
 */
export async function connectToBridge(subnet, name, number) {
  const namespace = `${nameOf(subnet)}-${name}`;
  const link = `${nameOf(subnet)}-${number}`;
  await mustRun('ip', 'netns', 'add', namespace);
  await mustRun('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
  await mustRun('ip', 'link', 'set', link, 'master', nameOf(subnet), 'up');
  const inside = ['-netns', namespace];
  await mustRun('ip', ...inside, 'address', 'add', `${addressIn(subnet, number)}/24`, 'dev', 'eth0');
  await mustRun('ip', ...inside, 'link', 'set', 'lo', 'up');
  await mustRun('ip', ...inside, 'link', 'set', 'eth0', 'up');
  await unlimitLink({namespace, link});
  return {namespace, link};
}

/** @param {Ends} ends @param {'up' | 'down'} state down: disconnected */
export async function setLink({link}, state) {
  await mustRun('ip', 'link', 'set', link, state);
}

/** Applies to both directions. @param {Ends} ends @param {readonly string[]} discipline */
async function setDiscipline({namespace, link}, discipline) {
  await mustRun('tc', 'qdisc', 'replace', 'dev', link, 'root', ...discipline);
  await mustRun('tc', '-netns', namespace, 'qdisc', 'replace', 'dev', 'eth0', 'root', ...discipline);
}

/** @param {Ends} ends @param {string} rate in tc's notation */
export async function limitLink(ends, rate) {
  // A fast link sends more between two turns of the kernel's timer.
  const burst = rate.endsWith('gbit') ? '256kb' : '32kb';
  await setDiscipline(ends, ['tbf', 'rate', rate, 'burst', burst, 'latency', '50ms']);
}

/**
 * Allows less than the links of ordinary hosts carry. Without a limit, a battle between hosts takes both cores for the two seconds in which it
 * measures its link.
 * @param {Ends} ends
 */
export async function unlimitLink(ends) {
  await setDiscipline(ends, ['tbf', 'rate', '100mbit', 'burst', '64kb', 'latency', '50ms']);
}

/** @param {string} namespace @returns {Promise<{pid: number, command: string}[]>} without the processes of sshd */
export async function processesIn(namespace) {
  const found = await Promise.all(
    (await pidsIn(namespace)).map(async (pid) => {
      const program = await readlink(`/proc/${pid}/exe`).catch(() => null);
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const isGone = program === null || command === '';
      if (isGone || sshdPrograms.test(basename(program))) return null;
      return {pid, command: command.split('\0').slice(0, -1).join(' ')};
    }),
  );
  return found.filter((process) => process !== null);
}

/** @param {string} namespace */
async function pidsIn(namespace) {
  return (await mustRun('ip', 'netns', 'pids', namespace)).split('\n').filter(Boolean).map(Number);
}

/** Ends all processes in the hosts' namespaces. Removes the namespaces, the links and the bridge, if they exist. @param {number} subnet */
export async function removeLinks(subnet) {
  const name = nameOf(subnet);
  const isMine = (/** @type {string} */ other) => other === name || other.startsWith(`${name}-`);
  const namespaces = (await readdir('/run/netns').catch(() => [])).filter(isMine);
  for (const namespace of namespaces) await endAllIn(namespace);
  /** @type {{ifname: string}[]} */
  const links = JSON.parse(await mustRun('ip', '-json', 'link', 'show'));
  for (const {ifname} of links.filter((link) => isMine(link.ifname)))
    await mustRun('ip', 'link', 'delete', ifname);
  for (const namespace of namespaces) await mustRun('ip', 'netns', 'delete', namespace);
}

/** @param {string} namespace */
async function endAllIn(namespace) {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const pids = await pidsIn(namespace);
    if (pids.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(`In ${namespace} these processes do not end: ${pids.join(', ')}`);
    for (const pid of pids) killIfRunning(pid);
    await sleep(10);
  }
}
