import {availableParallelism} from 'node:os';
import {brokerKindNamed, givenBroker} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {readOpenFilesLimit} from '../files/open-files.js';
import {roundRobin} from '../hosts/host.js';
import {formatBytes} from '../payload/bytes.js';
import {highest} from '../stats/numbers.js';
import {brokerNeedOf, brokerOf, connectsForEach, maxServersOf, transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';

/**
 * @import {Hosts} from '../hosts/types.js'
 * @import {BattleSettings, BattleValues} from '../settings/index.js'
 * @import {Cell} from './types.js'
 */

/** The default host of the roles, in messages. */
const here = 'this host';
/** All payloads in flight are in the memory of one host. */
const maxBytesInFlight = 1024 ** 3;
/**
 * Bytes of memory per byte in flight. Measured with windows of 300 payloads of 1000 KB, a client over TCP holds one copy, and a client over WebSocket two,
 * because it masks a copy. With TLS, the client holds two copies and the server one. The kernel's buffers are added.
 */
const memoryPerByteInFlight = 4;
/** The system can make this much available, even if it reports less. */
const alwaysThereBytes = 256 * 1024 ** 2;

/**
 * Refuses cells that cannot run on this host, before any process starts.
 * @param {readonly Cell[]} cells
 * @param {{openFiles?: number | null, availableBytes?: number | null}} [host] openFiles: how many files a process may have open; availableBytes: free
 *   memory; null if unknown
 * @param {Pick<BattleValues, 'clientOn' | 'serverOn'> & {payloadFile?: string | null, serverPort?: number}} [settings] of all cells: the hosts of
 *   the roles, the file of payloads, and the port of the servers, where 0 is any free port
 * @throws {UsageError} which names the setting, its need and the limit
 */
export function refuseImpossible(
  cells,
  {openFiles = readOpenFilesLimit(), availableBytes = process.availableMemory()} = {},
  {clientOn, serverOn, payloadFile = null, serverPort = 0} = {clientOn: null, serverOn: null},
) {
  const hosts = [...new Set([...(clientOn ?? [here]), ...(serverOn ?? [here])])];
  for (const cell of cells) {
    const reason = workloads[cell.workload].refuse?.(cell.variant) ?? null;
    if (reason !== null) throw new UsageError(reason);
    refuseUnsupportedExternal(cell);
    refusePayloadFile(cell, payloadFile);
    refuseOfGiven(cell, cells);
    refuseApart(cell, hosts);
    refuseSharedPort(cell, {serverPort, hosts: (serverOn ?? [here]).length});
    refuseServers(cell);
    if (hosts.join() === here) refuseProcesses(cell);
    refuseBytes(cell, availableBytes);
    if (openFiles !== null) refuseFiles(cell, openFiles);
  }
}

/**
 * Refuses cells that need start settings of their broker, if the user named a running broker.
 * @param {readonly Cell[]} cells @param {BattleSettings} settings
 * @throws {UsageError} which names the cell, and the setting that named the broker
 */
export function refuseGivenBroker(cells, settings) {
  if (settings.values.broker === 'private') return;
  for (const cell of cells) {
    const need = brokerNeedOf(cell);
    if (need === null || Object.keys(need.settings).length === 0) continue;
    const kind = brokerKindNamed(need.kind);
    const given = givenBroker(kind, settings);
    if (given === null || kind.verifiesSettings) continue;
    const asked = Object.entries(need.settings).map(([name, value]) => `${name} ${value}`);
    throw new UsageError(
      `${cell.labels.facilitator} needs a broker that was started with ${asked.join(', ')}, and perf-battle does not change the settings of the broker of ${given.origin.name}. Leave out one of the two.`,
    );
  }
}

/** @param {Cell} cell */
function refuseUnsupportedExternal({transport, variant, workload}) {
  if (!transportNamed(transport).runsPrograms || workloads[workload].supportsExternal?.(variant)) return;
  const known = Object.values(workloads).filter(({supportsExternal}) => supportsExternal);
  throw new UsageError(
    `--workload ${workload} with these settings cannot run with --${transport}: its programs know ${known.map(({name}) => name).join(', ')}: in a closed loop, without --anatomy (perf-battle help adapter-contract).`,
  );
}

/** @param {Cell} cell @param {string | null} payloadFile */
function refusePayloadFile({transport}, payloadFile) {
  if (payloadFile === null || !transportNamed(transport).runsPrograms) return;
  throw new UsageError(
    `--payload-file ${payloadFile} does not reach the programs of --${transport}, which make their payloads from a size and a seed (perf-battle help adapter-contract). Give the --payload instead.`,
  );
}

/**
 * Refuses workloads that need a server of perf-battle. A server that the user named, or a thread that answers in the client, only answers requests.
 * @param {Cell} cell @param {readonly Cell[]} cells
 */
function refuseOfGiven({transport: name, variant, workload}, cells) {
  const {serverOf, sendsNoPayload, impliedBy, answersInClient} = transportNamed(name);
  if (!serverOf?.(variant) && !answersInClient) return;
  const option = answersInClient ? `transport ${name}` : impliedBy;
  if (!('answer' in variant))
    throw new UsageError(
      `--workload ${workload} needs a server of perf-battle, and --${option} has another one. Use rtt, pipeline or --find-max-rate.`,
    );
  if (variant.anatomy)
    throw new UsageError(
      `--anatomy needs a server that says when it handles a request. The server of --${option} does not.`,
    );
  const sizes = new Set(cells.flatMap((cell) => (cell.transport === name ? cell.payloadBytes : [])));
  if (sendsNoPayload?.(variant) && sizes.size > 1)
    throw new UsageError(
      'Requests without a payload, such as a GET, are the same for each size of --payload. Give one size, such as --payload 1kb.',
    );
}

/** @param {Cell} cell @param {readonly string[]} hosts of clients and servers */
function refuseApart({transport}, hosts) {
  if (!transportNamed(transport).needsOneHost || hosts.length === 1) return;
  throw new UsageError(
    `--transport ${transport} needs clients and servers on one host; they would run on ${hosts.join(', ')}.`,
  );
}

/** Servers on one host need a port each. @param {Cell} cell @param {{serverPort: number, hosts: number}} where hosts: of the servers */
function refuseSharedPort({transport, variant}, {serverPort, hosts}) {
  const {servers = 0} = variant;
  if (serverPort === 0 || servers <= hosts || brokerOf({transport, variant}) !== null) return;
  throw new UsageError(
    `--server-port ${serverPort} is one port, and --servers ${servers} would use it ${hosts === 1 ? 'on one host' : `on ${hosts} hosts`}. Leave it out: each server then takes a free port.`,
  );
}

/** @param {Cell} cell */
function refuseServers({transport, variant}) {
  const {servers = 1} = variant;
  const maxServers = maxServersOf({transport, variant});
  if (servers > maxServers)
    throw new UsageError(
      `--transport ${transport} supports at most ${maxServers} server${maxServers === 1 ? '' : 's'}; --servers is ${servers}.`,
    );
}

/** @param {Cell} cell whose processes all run on this host */
function refuseProcesses({transport, variant}) {
  const {clients = 1, servers = 1} = variant;
  const reason = transportNamed(transport).refuseProcesses?.(clients + servers) ?? null;
  if (reason !== null) throw new UsageError(`--transport ${transport}: ${reason}`);
}

/** @param {Cell} cell @param {number | null} availableBytes */
function refuseBytes({variant, payloadBytes, workload}, availableBytes) {
  const {clients = 1, subscribers} = variant;
  const window = variant.window ?? subscribers ?? 1;
  // An open loop has its own bound of requests in flight, and requests for rows have no payload.
  const {requests, isPaced} = workloads[workload];
  if (requests || isPaced?.(variant)) return;
  const bytes = clients * window * payloadBytes;
  const what = `--${subscribers === undefined ? 'window' : 'subscribers'} ${window} with a payload of ${formatBytes(payloadBytes)}${clients > 1 ? ` and ${clients} clients` : ''} would hold ${formatBytes(bytes)} in flight`;
  if (bytes > maxBytesInFlight)
    throw new UsageError(`${what}; at most ${formatBytes(maxBytesInFlight)} is allowed.`);
  const neededBytes = bytes * memoryPerByteInFlight;
  if (availableBytes === null || neededBytes <= Math.max(availableBytes, alwaysThereBytes)) return;
  throw new UsageError(
    `${what}, which takes about ${formatBytes(neededBytes)} of memory; ${formatBytes(availableBytes)} are available. Use a smaller ${subscribers === undefined ? 'window' : 'number'} or payload.`,
  );
}

/** @param {Cell} cell @param {number} openFiles */
function refuseFiles({transport, variant, workload}, openFiles) {
  const {clients = 1, servers = 0} = variant;
  const subscribers = variant.subscribers ?? 0;
  const ofSubscribers = subscribers * filesPerSubscriber + otherOpenFiles;
  if (subscribers > 0 && ofSubscribers > openFiles)
    throw new UsageError(
      `--subscribers ${subscribers} needs up to ${ofSubscribers} open files in one process; the limit is ${openFiles}. Raise it (ulimit -n), or use fewer.`,
    );
  const here = (clients + servers) * pipesPerRole + otherOpenFiles;
  if (here > openFiles) {
    throw new UsageError(
      `--clients ${clients} and --servers ${servers} need ${here} open files in one process; the limit is ${openFiles}. Raise it (ulimit -n), or use fewer.`,
    );
  }
  if (!connectsForEach(transportNamed(transport), variant)) return;
  const connections = workloads[workload].concurrency(variant);
  const needed =
    Math.max(connections, Math.ceil((connections * clients) / Math.max(1, servers))) + otherOpenFiles;
  if (needed <= openFiles) return;
  throw new UsageError(
    `--window ${variant.window} over ${transport} with ${clients} client${clients === 1 ? '' : 's'} needs ${needed} open files in one process; the limit is ${openFiles}. Raise it (ulimit -n), or use a smaller window.`,
  );
}

/** A subscriber has one connection, or two with some transports. */
const filesPerSubscriber = 2;
/** A child process has a pipe for each of its standard streams. */
const pipesPerRole = 3;
/** Other files that a process has open: standard streams, epoll, wake-up pipes, the journal. */
const otherOpenFiles = 40;
/** The resident memory of a role, which reached 140 MiB in long test runs. */
const bytesPerRole = 160 * 1024 ** 2;
/** The share of a host's memory that all roles together may take. */
const shareOfMemory = 0.5;

/**
 * Returns how many pairs of processes may run at the same time, by the memory of their hosts and the files that this process may have open.
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts @param {readonly Pick<Cell, 'variant'>[]} cells
 * @param {{openFiles?: number | null, availableBytes?: number}} [here] limits of this host
 * @returns {number} at least 1
 */
export function pairsAtOnce(
  hosts,
  cells,
  {openFiles = readOpenFilesLimit(), availableBytes = process.availableMemory()} = {},
) {
  const clients = highest(cells.map(({variant}) => variant.clients ?? 1));
  const servers = highest(cells.map(({variant}) => variant.servers ?? 1));
  const places = [
    ...Array.from({length: clients}, (_, index) => roundRobin(hosts.clients, index)),
    ...Array.from({length: servers}, (_, index) => roundRobin(hosts.servers, index)),
  ];
  const fits = [...new Set(places)].flatMap((host) => {
    const roles = places.filter((place) => place === host).length;
    const bytes = host.isRemote ? (host.report?.fingerprint.memoryBytes ?? null) : availableBytes;
    const byMemory = bytes === null ? [] : [(bytes * shareOfMemory) / (roles * bytesPerRole)];
    const files =
      host.isRemote || openFiles === null ? [] : [(openFiles - otherOpenFiles) / (roles * pipesPerRole)];
    return [...byMemory, ...files];
  });
  return Math.max(1, Math.floor(Math.min(...fits)));
}

/**
 * Returns how many pairs may warm up at the same time. A pair with one request in flight keeps about one core busy, because client and server alternate.
 * Each further client or server may keep another core busy.
 * @param {Pick<Hosts, 'all'>} hosts @param {readonly Pick<Cell, 'variant'>[]} cells
 * @returns {number} at least 1
 */
export function warmUpsAtOnce({all}, cells) {
  const cores = all.map((host) =>
    host.isRemote ? (host.report?.fingerprint.cores ?? 1) : availableParallelism(),
  );
  const busy = highest(
    cells.map(({variant: {clients = 1, servers = 1}}) => Math.max(1, clients + servers - 1)),
  );
  return Math.max(1, Math.floor(Math.min(...cores) / busy));
}
