import {tmpdir} from 'node:os';
import {UnavailableError} from '../errors.js';
import {LocalHost} from '../hosts/local.js';
import {listenerPid} from '../hosts/processes.js';
import {untilAborted} from '../measure/bounds.js';
import {isLoopback, loopbackAddress} from '../measure/network.js';
import {readProcessTimes, sumTimes} from '../measure/system.js';
import {joinAddress} from '../net/address.js';
import {findProgram, notInstalled} from './programs.js';
import {startFailed} from './server-process.js';
import {attachSupervisor} from './supervisor-process.js';

/**
 * @import {Host} from '../hosts/types.js'
 * @import {Broker, BrokerConnection, BrokerKind, BrokerRequest, BrokerSettings, RunningNode, Supervisor} from './kind.js'
 */

/**
 * Provisions a broker of a kind.
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {BrokerRequest<Connection>} request
 * @returns {Promise<Broker<Connection>>}
 * @throws {UnavailableError} PB_BROKER_UNAVAILABLE: no broker was available; the message says what to do
 */
export async function provisionBroker(kind, request) {
  const {choice, given, nodes = 1, hosts = [new LocalHost()], settings = {}, log, signal} = request;
  signal.throwIfAborted();
  if (choice === 'private') return await startPrivate(kind, {...request, nodes, hosts});
  if (given) return await useGivenBroker(kind, given, signal);
  // A broker that is found on this host is one node, and its default user may connect from this host only.
  const isForThisHost = hosts.every(({isRemote, brokerAddress}) => !isRemote && brokerAddress === null);
  const isPlain = Object.keys(settings).length === 0;
  if (nodes > 1 || !isForThisHost || !isPlain) return await startPrivate(kind, {...request, nodes, hosts});
  const local = {...kind.local, port: request.localPort ?? kind.local.port};
  return (
    (await findLocalBroker(kind, local, {log, signal})) ??
    (await startPrivate(kind, {...request, nodes, hosts}, local))
  );
}

/**
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind
 * @param {BrokerRequest<Connection> & {nodes: number, hosts: readonly Host[]}} request
 * @param {Connection} [tried] an address where no broker answered
 */
async function startPrivate(kind, {hosts, temporaryFolder, programFolders: folders, ...request}, tried) {
  const isHere = hosts.some(({isRemote}) => !isRemote);
  if (isHere && (await findProgram(kind, {folders, settings: request.settings})) === null)
    throw notInstalled(kind, tried && `no broker answers at ${kind.mask(tried)}`);
  return await startPrivateBroker(kind, {
    ...request,
    hosts: hosts
      .slice(0, request.nodes)
      .map((host) => ({host, hostname: host.brokerAddress ?? loopbackAddress()})),
    programFolders: folders,
    base: temporaryFolder ?? tmpdir(),
  });
}

/**
 * @typedef {object} PrivateRequest
 * @property {readonly {host: Host, hostname: string}[]} hosts hostname: the name or address by which the roles reach the nodes
 * @property {number} nodes the number of nodes, at least one for each host
 * @property {string[] | undefined} [programFolders] the folders to search for the kind's program
 * @property {string} [base] the folder for temporary files of this host
 * @property {number | undefined} [memoryBytes] the memory that the nodes assume their host to have
 * @property {BrokerSettings} [settings] default: the kind's defaults
 * @property {number | undefined} [diskBytes] the size of the broker's own disk, see `Disk`; default: no such disk
 * @property {(host: Host) => number[] | null} [coresOn] the cores that the broker may use on a host; null, the default: all
 * @property {(line: string) => void} log
 * @property {AbortSignal} signal
 */

const supervisorScript = new URL('./supervisor.js', import.meta.url);
const attempts = 3;
const clash = /eaddrinuse|address already in use|already_used|port .* in use/i;

/**
 * Starts a broker for this run alone, of one node or a cluster. The broker listens only on the addresses that the roles
 * need, and accepts only its own user. Nothing of the broker remains after the run, even if this process is killed or the
 * network is cut. Another program may take a port before the node starts; the start is then repeated with other ports.
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {PrivateRequest} request
 * @returns {Promise<Broker<Connection>>}
 * @throws {UnavailableError} with the tail of a node's log
 */
async function startPrivateBroker(kind, request) {
  const {hosts, nodes, settings = {}, log, signal} = request;
  signal.throwIfAborted();
  const names = hosts.filter(({host}) => host.isRemote).map(({host}) => host.name);
  const where = names.length > 0 ? ` on ${names.join(', ')}` : '';
  const what = nodes > 1 ? `cluster of ${nodes} nodes` : 'node';
  log(`Starting a private ${kind.label} ${what}${withSettings(settings)}${where}; this takes some seconds.`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(kind, request);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === attempts || !clash.test(String(error))) throw error;
    }
  }
}

/** @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {PrivateRequest} request */
async function startOnce(kind, request) {
  const {hosts, signal} = request;
  const supervisors = await attachSupervisors(kind, request);
  try {
    const started = Promise.race([startAll(kind, supervisors, request), deathOf(kind, supervisors)]);
    const nodes = await untilAborted(started, signal);
    return await toBroker(kind, nodes, {
      supervisors,
      hosts: hosts.map(({host}) => host),
      settings: request.settings ?? {},
    });
  } catch (error) {
    await endAll(supervisors);
    throw error;
  }
}

/**
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {PrivateRequest} request
 * @returns {Promise<Supervisor<Connection>[]>} one supervisor for each host
 * @throws the reason why a host was not available
 */
async function attachSupervisors(kind, {hosts, coresOn = () => null, diskBytes}) {
  const words = kind.url === undefined ? [] : [kind.url];
  const how = {hasOwnMounts: diskBytes !== undefined};
  const spawned = await Promise.allSettled(
    hosts.map(({host}) => host.startSupervisor(supervisorScript, coresOn(host), words, how)),
  );
  const supervisors = spawned.map((one, index) =>
    one.status === 'fulfilled' ? attachSupervisor(kind, one.value, hosts[index].host) : null,
  );
  const failed = spawned.find((one) => one.status === 'rejected');
  const attached = supervisors.filter((supervisor) => supervisor !== null);
  if (!failed) return attached;
  await endAll(attached);
  throw failed.reason;
}

/**
 * Starts the nodes of the first host before the others, which may have to join them.
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {readonly Supervisor<Connection>[]} supervisors
 * @param {PrivateRequest} request
 * @returns {Promise<RunningNode<Connection>[]>} in the order in which the hosts took turns
 */
async function startAll(
  kind,
  supervisors,
  {hosts, nodes: size, programFolders, base, memoryBytes, settings, diskBytes},
) {
  const {planHosts} = await kind.load();
  const hostnames = hosts.map(({hostname}) => hostname);
  const plans = planHosts(hostnames, {nodes: size, memoryBytes, settings});
  const start = (/** @type {number} */ index) => {
    const {isRemote} = hosts[index].host;
    return supervisors[index].start({
      kind: kind.name,
      plan: plans[index],
      programFolders,
      settings,
      base: isRemote ? undefined : base,
      diskBytes,
      hasHeartbeat: isRemote,
    });
  };
  const first = await start(0);
  const others = await Promise.all(supervisors.slice(1).map((_, index) => start(index + 1)));
  if (size > 1) await Promise.all(supervisors.map((supervisor) => supervisor.verify()));
  const started = [first, ...others];
  return Array.from(
    {length: size},
    (_, index) => started[index % hosts.length][Math.floor(index / hosts.length)],
  );
}

/**
 * Rejects when a node ends, so that the others do not wait for it.
 * @param {BrokerKind} kind @param {readonly Supervisor<any>[]} supervisors
 * @returns {Promise<never>}
 */
async function deathOf(kind, supervisors) {
  const reason = await Promise.race(supervisors.map(({died}) => died));
  throw startFailed(kind.label, reason);
}

/**
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {readonly RunningNode<Connection>[]} nodes
 * @param {{supervisors: readonly Supervisor<Connection>[], hosts: readonly Host[], settings: BrokerSettings}} running
 * @returns {Promise<Broker<Connection>>}
 */
async function toBroker(kind, nodes, {supervisors, hosts, settings}) {
  let released = false;
  const isRemote = hosts.some((host) => host.isRemote);
  const connections = nodes.map(({connection}) => connection);
  const [{pid, versions}] = nodes;
  const readTimes = async () =>
    sumTimes(
      isRemote
        ? await Promise.all(supervisors.map((supervisor) => supervisor.readTimes()))
        : nodes.map((node) => readProcessTimes(node.pid)),
    );
  return {
    kind: kind.name,
    source: 'private',
    hosts,
    connection: connections[0],
    connections,
    label: `${labelOf(kind, connections, versions)}${withSettings(settings)}`,
    versions,
    pid: isRemote ? null : pid,
    readTimes,
    instance: (await readTimes())?.instance ?? null,
    died: Promise.race(supervisors.map(({died}) => died)).then((reason) =>
      released ? new Promise(() => {}) : reason,
    ),
    ...(supervisors.length === 1 && {perform: supervisors[0].perform}),
    release: async () => {
      released = true;
      await endAll(supervisors);
    },
  };
}

/** @param {BrokerSettings} settings */
function withSettings(settings) {
  const pairs = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  return pairs.length > 0 ? ` with ${pairs.join(', ')}` : '';
}

/** @param {readonly Supervisor<any>[]} supervisors */
async function endAll(supervisors) {
  await Promise.all(supervisors.map((supervisor) => supervisor.end()));
}

/** @param {BrokerKind} kind @param {readonly BrokerConnection[]} connections @param {Record<string, string | null>} versions */
function labelOf(kind, connections, versions) {
  const what = connections.length > 1 ? `a private cluster of ${connections.length} nodes` : 'a private node';
  const where = connections.map(({hostname, port}) => joinAddress(hostname, port)).join(', ');
  return `${nameOf(kind.label, versions[kind.versions[0]])} at ${where}, ${what}`;
}

/** @param {string} product @param {string | null} [version] that of another product than usual begins with its name @returns {string} such as Redis 7.0.15, or Valkey 8.1.1 */
export function nameOf(product, version) {
  if (!version) return product;
  return /^[A-Z]\S* \d/.test(version) ? version : `${product} ${version}`;
}

/** EADDRNOTAVAIL: this host has no such address. */
const notThere = ['ECONNREFUSED', 'ENETUNREACH', 'EADDRNOTAVAIL'];
const FIND_TIMEOUT_MS = 2000;

/**
 * Connects once to a broker that the user has named, so that a wrong address or password is reported before the first round.
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {Connection} connection @param {AbortSignal} signal
 * @returns {Promise<Broker<Connection>>}
 * @throws {UnavailableError}
 */
export async function useGivenBroker(kind, connection, signal) {
  return await describeRunning(kind, 'given', connection, {signal, timeoutMs: 10_000});
}

/**
 * Looks for a broker on this host that accepts its default user.
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {Connection} connection
 * @param {{log: (line: string) => void, signal: AbortSignal}} options
 * @returns {Promise<Broker<Connection> | null>}
 * @throws {UnavailableError} PB_NOT_INSTALLED: an npm package is missing that a private broker would need, too
 */
export async function findLocalBroker(kind, connection, {log, signal}) {
  try {
    return await describeRunning(kind, 'found', connection, {signal, timeoutMs: FIND_TIMEOUT_MS});
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnavailableError && error.code === 'PB_NOT_INSTALLED') throw error;
    const where = joinAddress(connection.hostname, connection.port);
    if (!isRefused(error)) log(`${where} is not used: ${/** @type {Error} */ (error).message}`);
    return null;
  }
}

/**
 * @template {BrokerConnection} Connection @param {BrokerKind<Connection>} kind @param {'given' | 'found'} source @param {Connection} named
 * @param {{signal: AbortSignal, timeoutMs: number}} options
 * @returns {Promise<Broker<Connection>>}
 */
async function describeRunning(kind, source, named, options) {
  const {greet, processName} = await kind.load();
  const {product, versions, connection = named} = await greet(named, options);
  const findPid = async () =>
    isLoopback(connection.hostname) ? await listenerPid(connection.port, processName) : null;
  let pid = await findPid();
  const readTimes = async () => {
    const times = readProcessTimes(pid);
    if (times || pid === null) return times;
    // The broker was restarted and has another pid.
    pid = (await findPid()) ?? pid;
    return readProcessTimes(pid);
  };
  return {
    kind: kind.name,
    source,
    hosts: null,
    connection,
    connections: [connection],
    label: `${nameOf(product ?? 'broker', versions[kind.versions[0]])} at ${kind.mask(connection)}`,
    versions,
    pid,
    readTimes,
    instance: (await readTimes())?.instance ?? null,
    died: new Promise(() => {}),
    release: async () => {},
  };
}

/** Whether nothing listens at the address, which is normal and not logged. @param {unknown} error */
function isRefused(error) {
  const {cause} = /** @type {{cause?: unknown}} */ (error);
  return originsOf(cause).every((origin) => notThere.includes(origin?.code ?? ''));
}

/** A library may wrap the error of the system several times. */
const maxWraps = 10;

/** @param {any} error @param {number} [depth] @returns {NodeJS.ErrnoException[]} the innermost errors */
function originsOf(error, depth = 0) {
  const inner = [...(error?.errors ?? []), ...(error?.cause ? [error.cause] : [])];
  return inner.length === 0 || depth === maxWraps
    ? [error]
    : inner.flatMap((one) => originsOf(one, depth + 1));
}
