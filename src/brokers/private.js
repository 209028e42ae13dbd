import {readProcessTimes} from '../measure/process-times.js';
import {untilAborted} from '../measure/until-aborted.js';
import {hostAndPort} from '../transports/rabbitmq/url.js';
import {planHosts} from './rabbitmq/cluster.js';
import {startFailed} from './start.js';
import {sumTimes} from './sum-times.js';
import {attachKeeper} from './supervisor-process.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {KeeperPlace} from '../hosts/host.js'
 * @import {BrokerConnection} from '../transports/rabbitmq/url.js'
 * @import {Broker} from './index.js'
 * @import {Keeper, StartedNode} from './supervisor-process.js'
 */

/**
 * @typedef {object} PrivateRequest
 * @property {readonly {place: KeeperPlace, hostname: string}[]} hosts where it runs; hostname: under which the roles reach it there
 * @property {number} nodes how many, at least one a host
 * @property {string[]} [serverFolders] where to look for `rabbitmq-server`
 * @property {string} [base] the folder for temporary files of this host
 * @property {number} [memoryBytes] what the nodes are told that their host has
 * @property {(line: string) => void} log
 * @property {AbortSignal} signal
 */

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
  const names = hosts.filter(({place}) => place.isRemote).map(({place}) => place.name);
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
  const keepers = await attachKeepers(hosts);
  try {
    const started = Promise.race([startAll(keepers, request), deathOf(keepers)]);
    const nodes = await untilAborted(started, signal);
    return toBroker(nodes, keepers, hosts);
  } catch (error) {
    await endAll(keepers, 'at once');
    throw error;
  }
}

/**
 * @param {PrivateRequest['hosts']} hosts
 * @returns {Promise<Keeper[]>} one a host
 * @throws the reason why a host could not be had
 */
async function attachKeepers(hosts) {
  const spawned = await Promise.allSettled(hosts.map(({place}) => place.spawn()));
  const keepers = spawned.map((one, host) =>
    one.status === 'fulfilled' ? attachKeeper(one.value, hosts[host].place) : null,
  );
  const failed = spawned.find((one) => one.status === 'rejected');
  const attached = keepers.filter((keeper) => keeper !== null);
  if (!failed) return attached;
  await endAll(attached, 'at once');
  throw failed.reason;
}

/**
 * The node that the others join runs before any of them starts.
 * @param {readonly Keeper[]} keepers
 * @param {PrivateRequest} request
 * @returns {Promise<StartedNode[]>} in their order
 */
async function startAll(keepers, {hosts, nodes: size, serverFolders, base, memoryBytes}) {
  const plans = planHosts(
    hosts.map(({hostname}) => hostname),
    size,
    memoryBytes,
  );
  const start = (/** @type {number} */ host) => {
    const {isRemote} = hosts[host].place;
    return keepers[host].start({
      plan: plans[host],
      serverFolders,
      base: isRemote ? undefined : base,
      beats: isRemote,
    });
  };
  const first = await start(0);
  const others = await Promise.all(keepers.slice(1).map((_, index) => start(index + 1)));
  if (size > 1) await Promise.all(keepers.map((keeper) => keeper.verify()));
  return inOrder([first, ...others].flat());
}

/**
 * The others would only wait for what is gone.
 * @param {readonly Keeper[]} keepers
 * @returns {Promise<never>}
 */
async function deathOf(keepers) {
  const reason = await Promise.race(keepers.map(({died}) => died));
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
 * @param {readonly Keeper[]} keepers
 * @param {PrivateRequest['hosts']} hosts
 * @returns {Broker}
 */
function toBroker(nodes, keepers, hosts) {
  let released = false;
  const isRemote = hosts.some(({place}) => place.isRemote);
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
          ? await Promise.all(keepers.map((keeper) => keeper.readTimes()))
          : nodes.map((node) => readProcessTimes(node.pid)),
      ),
    maxMessageBytes: defaultMaxMessageBytes(versions.rabbitmq),
    died: Promise.race(keepers.map(({died}) => died)).then((reason) =>
      released ? new Promise(() => {}) : reason,
    ),
    release: async () => {
      released = true;
      await endAll(keepers, 'gracefully');
    },
  };
}

/** @param {readonly Keeper[]} keepers @param {'gracefully' | 'at once'} manner */
async function endAll(keepers, manner) {
  await Promise.all(keepers.map((keeper) => keeper.end(manner)));
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
