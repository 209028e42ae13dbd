import {readProcessTimes} from '../measure/process-times.js';
import {untilAborted} from '../measure/until-aborted.js';
import {hostAndPort} from '../transports/rabbitmq/url.js';
import {planHosts} from './rabbitmq/cluster.js';
import {startFailed} from './start.js';
import {sumTimes} from './sum-times.js';
import {attachSupervisor} from './supervisor-process.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {Host} from '../hosts/host.js'
 * @import {BrokerConnection} from '../transports/rabbitmq/url.js'
 * @import {Broker} from './index.js'
 * @import {Supervisor, StartedNode} from './supervisor-process.js'
 */

/**
 * @typedef {object} PrivateRequest
 * @property {readonly {host: Host, hostname: string}[]} hosts where it runs; hostname: under which the roles reach it there
 * @property {number} nodes how many, at least one a host
 * @property {string[] | undefined} [serverFolders] where to look for `rabbitmq-server`
 * @property {string} [base] the folder for temporary files of this host
 * @property {number | undefined} [memoryBytes] what the nodes are told that their host has
 * @property {(line: string) => void} log
 * @property {AbortSignal} signal
 */

const supervisorScript = new URL('./supervisor.js', import.meta.url);
const attempts = 3;
const clash = /eaddrinuse|address already in use|already_used|port .* in use/i;

/**
 * Starts a RabbitMQ of one node or a cluster for this run alone: only who must reaches it, only its own random user may use it, and nothing of
 * it is left afterwards, even if this process is killed or the network is cut. Ports are free when they are picked; when another program takes
 * one before a node does, all is tried again with others.
 * @param {PrivateRequest} request
 * @returns {Promise<Broker>}
 * @throws {UnavailableError} with the tail of a node's log
 */
export async function startPrivateBroker(request) {
  const {hosts, nodes, log, signal} = request;
  signal.throwIfAborted();
  const names = hosts.filter(({host}) => host.isRemote).map(({host}) => host.name);
  const where = names.length > 0 ? ` on ${names.join(', ')}` : '';
  log(
    `Starting a private RabbitMQ ${nodes > 1 ? `cluster of ${nodes} nodes` : 'node'}${where}; this takes some seconds.`,
  );
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(request);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === attempts || !clash.test(String(error))) throw error;
    }
  }
}

/** @param {PrivateRequest} request @returns {Promise<Broker>} */
async function startOnce(request) {
  const {hosts, signal} = request;
  const supervisors = await attachSupervisors(hosts);
  try {
    const started = Promise.race([startAll(supervisors, request), deathOf(supervisors)]);
    const nodes = await untilAborted(started, signal);
    return toBroker(nodes, supervisors, hosts);
  } catch (error) {
    await endAll(supervisors, 'at once');
    throw error;
  }
}

/**
 * @param {PrivateRequest['hosts']} hosts
 * @returns {Promise<Supervisor[]>} one a host
 * @throws the reason why a host could not be had
 */
async function attachSupervisors(hosts) {
  const spawned = await Promise.allSettled(hosts.map(({host}) => host.startSupervisor(supervisorScript)));
  const supervisors = spawned.map((one, index) =>
    one.status === 'fulfilled' ? attachSupervisor(one.value, hosts[index].host) : null,
  );
  const failed = spawned.find((one) => one.status === 'rejected');
  const attached = supervisors.filter((supervisor) => supervisor !== null);
  if (!failed) return attached;
  await endAll(attached, 'at once');
  throw failed.reason;
}

/**
 * The node that the others join runs before any of them starts.
 * @param {readonly Supervisor[]} supervisors
 * @param {PrivateRequest} request
 * @returns {Promise<StartedNode[]>} in their order
 */
async function startAll(supervisors, {hosts, nodes: size, serverFolders, base, memoryBytes}) {
  const plans = planHosts(
    hosts.map(({hostname}) => hostname),
    size,
    memoryBytes,
  );
  const start = (/** @type {number} */ index) => {
    const {isRemote} = hosts[index].host;
    return supervisors[index].start({
      plan: plans[index],
      serverFolders,
      base: isRemote ? undefined : base,
      beats: isRemote,
    });
  };
  const first = await start(0);
  const others = await Promise.all(supervisors.slice(1).map((_, index) => start(index + 1)));
  if (size > 1) await Promise.all(supervisors.map((supervisor) => supervisor.verify()));
  return inOrder([first, ...others].flat());
}

/**
 * The others would only wait for what is gone.
 * @param {readonly Supervisor[]} supervisors
 * @returns {Promise<never>}
 */
async function deathOf(supervisors) {
  const reason = await Promise.race(supervisors.map(({died}) => died));
  throw startFailed(reason);
}

/** Their names hold their numbers. @param {readonly StartedNode[]} nodes */
function inOrder(nodes) {
  return nodes.toSorted((one, other) => numberOf(one) - numberOf(other));
}

/** @param {StartedNode} node */
function numberOf({name}) {
  return Number(/-(\d+)@/.exec(name)?.[1]);
}

/**
 * @param {readonly StartedNode[]} nodes
 * @param {readonly Supervisor[]} supervisors
 * @param {PrivateRequest['hosts']} hosts
 * @returns {Broker}
 */
function toBroker(nodes, supervisors, hosts) {
  let released = false;
  const isRemote = hosts.some(({host}) => host.isRemote);
  const connections = nodes.map(({connection}) => connection);
  const [{pid, versions}] = nodes;
  return {
    kind: 'private',
    connection: connections[0],
    connections,
    label: labelOf(connections, versions.rabbitmq),
    versions,
    pid: isRemote ? null : pid,
    readTimes: async () =>
      sumTimes(
        isRemote
          ? await Promise.all(supervisors.map((supervisor) => supervisor.readTimes()))
          : nodes.map((node) => readProcessTimes(node.pid)),
      ),
    maxMessageBytes: defaultMaxMessageBytes(versions.rabbitmq),
    died: Promise.race(supervisors.map(({died}) => died)).then((reason) =>
      released ? new Promise(() => {}) : reason,
    ),
    release: async () => {
      released = true;
      await endAll(supervisors, 'gracefully');
    },
  };
}

/** @param {readonly Supervisor[]} supervisors @param {'gracefully' | 'at once'} manner */
async function endAll(supervisors, manner) {
  await Promise.all(supervisors.map((supervisor) => supervisor.end(manner)));
}

/** @param {readonly BrokerConnection[]} connections @param {string | null} version */
function labelOf(connections, version) {
  const what = connections.length > 1 ? `a private cluster of ${connections.length} nodes` : 'a private node';
  return `RabbitMQ ${version ?? ''} at ${connections.map(hostAndPort).join(', ')}, ${what}`;
}

/**
 * RabbitMQ's default for `max_message_size`: 16 MiB since 4.0, 128 MiB since 3.8, before that none.
 * @param {string | null} version
 */
function defaultMaxMessageBytes(version) {
  const [major, minor] = (version ?? '').split('.').map(Number);
  if (major >= 4) return 16 * 1024 * 1024;
  return major === 3 && minor >= 8 ? 128 * 1024 * 1024 : null;
}
