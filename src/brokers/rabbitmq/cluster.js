import {randomBytes} from 'node:crypto';
import {open, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {RunError} from '../../errors.js';
import {untilAborted} from '../../measure/bounds.js';
import {randomPort} from '../../net/listen.js';
import {lastLines, launchChild, startFailed, startServer} from '../server-process.js';
import {greet} from './connection.js';
import {nodeEnvironment, pathsIn, writeNodeFiles} from './settings.js';
import {completeConnection} from './url.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {AskedOfPrivate, HostPlan as AnyPlan, RunningNode as AnyNode} from '../kind.js'
 * @import {Programs} from './installation.js'
 * @import {NodeSettings} from './settings.js'
 * @import {RabbitmqConnection} from './url.js'
 */

/** The address by which the nodes of one host reach each other. */
export const loopback = '127.0.0.1';

/**
 * The nodes of a private RabbitMQ on one host.
 * @typedef {AnyPlan & PlannedNodes} HostPlan
 *
 * @typedef {object} PlannedNodes
 * @property {string} address the IPv4 address by which other nodes reach these nodes
 * @property {string[]} nodes the names of the nodes
 * @property {string} first the name of the node that all others join
 * @property {number} size the number of nodes on all hosts together
 * @property {number | null} portMapperPort the port of epmd, which must be the same on all hosts; null: any free port
 * @property {string} username
 * @property {string} password
 * @property {string} cookie the shared secret of the nodes
 * @property {number | undefined} [memoryBytes] the memory that the nodes assume their host to have; default: the memory of the host
 * @property {string | null} plugin the enabled plugin; null: none
 */

/**
 * Distributes the nodes over the hosts, round-robin. Nodes on one host connect to each other by loopback; nodes on several
 * hosts use the addresses by which the roles reach them.
 * @param {readonly string[]} hostnames the name of each host, at most as many as nodes
 * @param {AskedOfPrivate} asked
 * @returns {HostPlan[]} one plan for each host
 */
export function planHosts(hostnames, {nodes: size, memoryBytes, settings = {}}) {
  const isSpread = hostnames.length > 1;
  const addresses = hostnames.map((hostname) => (isSpread ? hostname : loopback));
  const names = namesOf(addresses, size);
  const shared = {
    first: names[0],
    size,
    portMapperPort: isSpread ? randomPort() : null,
    username: 'perf-battle',
    password: randomBytes(18).toString('base64url'),
    cookie: randomBytes(24).toString('hex'),
    memoryBytes,
    plugin: settings.plugin ?? null,
  };
  return hostnames.map((hostname, host) => ({
    ...shared,
    hostname,
    address: addresses[host],
    nodes: names.filter((_, node) => node % hostnames.length === host),
  }));
}

/** @param {readonly string[]} addresses @param {number} size */
function namesOf(addresses, size) {
  const id = randomBytes(4).toString('hex');
  return Array.from(
    {length: size},
    (_, node) => `perf-battle-${id}-${node + 1}@${addresses[node % addresses.length]}`,
  );
}

const formedWithinS = 60;

/**
 * Waits until each of these nodes sees all nodes of the cluster.
 * @param {readonly RunningNode[]} nodes
 * @param {number} size the number of nodes in the cluster
 * @param {Programs} programs @param {AbortSignal} signal
 * @throws {UnavailableError} with the name of a node that does not see them, and the tail of its log
 */
export async function untilFormed(nodes, size, programs, signal) {
  await Promise.all(nodes.map(({settings}) => untilSeen(settings, size, programs, signal)));
}

/** @param {NodeSettings} settings @param {number} size @param {Programs} programs @param {AbortSignal} signal */
async function untilSeen(settings, size, programs, signal) {
  const {name, folder, password} = settings;
  const asked = ['await_online_nodes', String(size), '--timeout', String(formedWithinS)];
  const failure = await tell(settings, asked, programs, signal);
  if (failure === null) return;
  const {log} = pathsIn(folder);
  throw startFailed(
    'RabbitMQ',
    `${name} did not find ${size} running nodes in its cluster; ${failure}\n${await lastLines({log, secret: password})}`,
  );
}

/**
 * Runs rabbitmqctl for a node.
 * @param {NodeSettings} settings
 * @param {readonly string[]} words the arguments
 * @param {Programs} programs @param {AbortSignal} signal
 * @returns {Promise<string | null>} the failure as a clause, with the output; null: success
 */
async function tell(settings, words, {control, setpriv}, signal) {
  const {name, folder} = settings;
  const said = join(folder, 'rabbitmqctl.log');
  const output = await open(said, 'w', 0o600);
  const command = [control, '--longnames', '--node', name, ...words];
  const env = nodeEnvironment(settings);
  const child = launchChild('rabbitmqctl', command, {setpriv, cwd: folder, env, output: output.fd});
  try {
    if (await untilAborted(child.succeeded, signal)) return null;
    return `${await child.ended}: ${(await readFile(said, 'utf8')).trim()}`;
  } finally {
    await child.end();
    await output.close();
  }
}

/** Less than Erlang itself uses. */
const leastMemoryBytes = 1_000_000;

/**
 * Sets a memory limit so low that each node raises its alarm at once, or restores the configured limit
 * (https://www.rabbitmq.com/docs/memory).
 * @param {readonly RunningNode[]} nodes @param {boolean} isLow @param {Programs} programs @param {AbortSignal} signal
 * @throws {RunError} when a node refuses
 */
export async function limitMemory(nodes, isLow, programs, signal) {
  const limit = isLow
    ? `vm_memory_monitor:set_vm_memory_high_watermark({absolute, ${leastMemoryBytes}}).`
    : '{ok, Limit} = application:get_env(rabbit, vm_memory_high_watermark), vm_memory_monitor:set_vm_memory_high_watermark(Limit).';
  const failures = await Promise.all(
    nodes.map(({settings}) => tell(settings, ['eval', limit], programs, signal)),
  );
  const failure = failures.find((one) => one !== null);
  if (failure) throw new RunError(`RabbitMQ did not take another limit of its memory: ${failure}`);
}

/**
 * @typedef {AnyNode<RabbitmqConnection> & {
 *   settings: NodeSettings, ended: Promise<string>, end: () => Promise<void>,
 * }} RunningNode pid: the pid of the Erlang virtual machine; ended: resolves with the reason and the tail of the log
 */

/**
 * Starts a RabbitMQ node, and waits until it answers: RabbitMQ opens its port as the last step of its start.
 * @param {NodeSettings} settings
 * @param {{hostname: string, programs: {server: string, setpriv: string | null}}} start hostname: the
 *   name by which the roles reach the node
 * @param {AbortSignal} signal aborts the start; the node has ended when the promise rejects
 * @returns {Promise<RunningNode>}
 * @throws {UnavailableError} with the tail of the log
 */
export async function startNode(settings, {hostname, programs}, signal) {
  signal.throwIfAborted();
  const {title, username, password, listenAddress, ports, folder} = settings;
  await writeNodeFiles(settings);
  const connection = completeConnection({
    ...{hostname, port: ports.amqp, username, password},
    ...(ports.plugin && {otherPorts: {[ports.plugin.protocol]: ports.plugin.port}}),
  });
  // This host may be unable to reach its own public address behind a network address translation.
  const fromHere = listenAddress === hostname ? connection : {...connection, hostname: 'localhost'};
  const {log, pid: pidFile} = pathsIn(folder);
  const server = await startServer(
    {
      label: 'RabbitMQ',
      title,
      command: [programs.server],
      setpriv: programs.setpriv,
      folder,
      environment: nodeEnvironment(settings),
      log,
      secret: password,
    },
    (either) => greet(fromHere, {timeoutMs: 5000, signal: either}),
    signal,
  );
  const {answer, ended, end} = server;
  // Erlang has written the file. The pid is that of the child if the script has replaced itself by Erlang.
  const pid = Number(await readFile(pidFile, 'utf8')) || server.pid;
  return {settings, pid, connection, versions: answer.versions, ended, end};
}
