import {UsageError} from '../errors.js';
import {formatCores, parsePin} from '../measure/cores.js';
import {roundRobin} from './round-robin.js';

/**
 * @import {PlacementRecord} from '../results/trial.js'
 * @import {Host} from './host.js'
 * @import {Core, Topology} from './topology.js'
 */

/**
 * On which cores the processes of a battle run.
 *
 * @typedef {object} Placement
 * @property {(counts: RoleCounts) => PlacedRoles} placeRoles
 * @property {(host: Host) => number[] | null} brokerCores of a private broker's nodes on that host; null: any
 * @property {readonly string[]} notes why a host's processes are not pinned
 *
 * @typedef {{clients: number, servers: number}} RoleCounts
 *
 * @typedef {{clients: Cores[], servers: Cores[]}} PlacedRoles the cores of each process, in their order
 *
 * @typedef {number[] | null} Cores null: any
 */

/**
 * Decides where processes run (`--pin`). Left to the scheduler of a busy host, the same round trip takes three times as long in one trial as in
 * another: roles that share a core need not wake another one.
 *
 * With `auto`, each client and server has two or four cores of its own: one for the thread that runs its JavaScript, the others for the threads
 * that collect its garbage. With a single core for all of them, HTTP at 100 KB took 1.8 times as long as unpinned on an idle host, and raw TCP
 * 1.1 times. So a host that has fewer than two cores for each process pins nothing. The hardware threads of a physical core stay together, and
 * core 0, which serves most interrupts, comes last. A private broker has the cores that are left.
 *
 * @param {string} pin auto, none, or lists of cores
 * @param {{clients: readonly Host[], servers: readonly Host[], brokers: readonly Host[]}} hosts processes take turns on them
 * @param {{most: RoleCounts, topologies: ReadonlyMap<Host, Topology | null>}} battle most: processes at once
 * @returns {Placement}
 * @throws {UsageError} when a host does not have the cores, or cannot pin
 */
export function planPlacement(pin, hosts, {most, topologies}) {
  const given = parsePin(pin);
  if (given === 'none' || given === undefined) return free;
  if (given !== 'auto') return placeAsGiven(given, hosts, topologies);
  const plans = new Map(
    [...topologies].map(([host, topology]) => [
      host,
      planHost(host.name, topology, {
        ...countsOn(host, hosts, most),
        brokers: hosts.brokers.includes(host) ? 1 : 0,
      }),
    ]),
  );
  return {
    placeRoles: (counts) => placeInTurns(hosts, counts, plans),
    brokerCores: (host) => plans.get(host)?.broker ?? null,
    notes: [...plans.values()].flatMap(({note}) => note ?? []),
  };
}

/** @type {Placement} */
export const free = {
  placeRoles: ({clients, servers}) => ({
    clients: Array(clients).fill(null),
    servers: Array(servers).fill(null),
  }),
  brokerCores: () => null,
  notes: [],
};

/**
 * @param {{client: number[], server: number[], broker: number[] | null}} given
 * @param {{clients: readonly Host[], servers: readonly Host[], brokers: readonly Host[]}} hosts
 * @param {ReadonlyMap<Host, Topology | null>} topologies
 * @returns {Placement}
 */
function placeAsGiven({client, server, broker}, {clients, servers, brokers}, topologies) {
  for (const host of clients) refuseMissing(client, host, topologies.get(host));
  for (const host of servers) refuseMissing(server, host, topologies.get(host));
  for (const host of broker ? brokers : []) refuseMissing(broker ?? [], host, topologies.get(host));
  return {
    placeRoles: (counts) => ({
      clients: Array(counts.clients).fill(client),
      servers: Array(counts.servers).fill(server),
    }),
    brokerCores: () => broker,
    notes: [],
  };
}

/** @param {readonly number[]} wanted @param {Host} host @param {Topology | null | undefined} topology */
function refuseMissing(wanted, {name}, topology) {
  if (!topology?.canPin)
    throw new UsageError(
      `--pin needs taskset (util-linux) on ${name}, and the right to use it. Install it, or use --pin none.`,
    );
  const cores = topology.cores.map(({number}) => number);
  const missing = wanted.filter((core) => !cores.includes(core));
  if (missing.length > 0)
    throw new UsageError(
      `--pin names core ${formatCores(missing)}, which processes may not use on ${name}: they may use ${formatCores(cores)}.`,
    );
}

/** A process has at least this many cores: one for its JavaScript, one for the collection of its garbage. */
const minCores = 2;
/** Where there are enough. Node.js collects garbage in up to four more threads. With an even number, no physical core of two threads is split. */
const maxCores = 4;

/**
 * @typedef {object} HostPlan
 * @property {readonly number[][]} clients the cores of each of its clients
 * @property {readonly number[][]} servers
 * @property {number[] | null} broker
 * @property {string | null} note why nothing is pinned
 */

/**
 * @param {string} name
 * @param {Topology | null} topology
 * @param {RoleCounts & {brokers: number}} counts of the processes on this host
 * @returns {HostPlan}
 */
function planHost(name, topology, {clients, servers, brokers}) {
  const processes = clients + servers + brokers;
  if (processes < 2) return unpinned(null);
  if (!topology?.canPin)
    return unpinned(
      `Processes on ${name} are not pinned to cores: taskset (util-linux) cannot be used there.`,
    );
  const cores = inOrder(topology.cores);
  const each = cores.length >= processes * maxCores ? maxCores : minCores;
  if (cores.length < processes * minCores)
    return unpinned(
      `Processes on ${name} are not pinned to cores: it has ${cores.length} for ${processes} processes, and each needs ${minCores}.`,
    );
  const coresOf = (/** @type {number} */ index) => sorted(cores.slice(index * each, (index + 1) * each));
  return {
    clients: Array.from({length: clients}, (_, index) => coresOf(index)),
    servers: Array.from({length: servers}, (_, index) => coresOf(clients + index)),
    broker: brokers > 0 ? sorted(cores.slice((clients + servers) * each)) : null,
    note: null,
  };
}

/** @param {string | null} note @returns {HostPlan} */
function unpinned(note) {
  return {clients: [], servers: [], broker: null, note};
}

/**
 * The hardware threads of a physical core stand together, and so do the cores of a socket. The first core comes last.
 * @param {readonly Core[]} cores
 * @returns {number[]}
 */
function inOrder(cores) {
  return cores
    .toSorted(
      (one, other) =>
        other.package - one.package ||
        Math.min(...other.siblings) - Math.min(...one.siblings) ||
        other.number - one.number,
    )
    .map(({number}) => number);
}

/** @param {readonly number[]} cores */
function sorted(cores) {
  return cores.toSorted((one, other) => one - other);
}

/**
 * @param {{clients: readonly Host[], servers: readonly Host[]}} hosts
 * @param {RoleCounts} counts
 * @param {ReadonlyMap<Host, HostPlan>} plans
 * @returns {PlacedRoles}
 */
function placeInTurns(hosts, counts, plans) {
  const place = (/** @type {'clients' | 'servers'} */ role) =>
    Array.from(
      {length: counts[role]},
      (_, index) =>
        plans.get(roundRobin(hosts[role], index))?.[role][Math.floor(index / hosts[role].length)] ?? null,
    );
  return {clients: place('clients'), servers: place('servers')};
}

/**
 * @param {Host} host
 * @param {{clients: readonly Host[], servers: readonly Host[]}} hosts
 * @param {RoleCounts} most
 * @returns {RoleCounts} the processes that take their turn on this host
 */
function countsOn(host, hosts, most) {
  const count = (/** @type {'clients' | 'servers'} */ role) =>
    Array.from({length: most[role]}, (_, index) => roundRobin(hosts[role], index)).filter(
      (one) => one === host,
    ).length;
  return {clients: count('clients'), servers: count('servers')};
}

/**
 * Where the processes of a trial ran, for the record.
 * @param {PlacedRoles} placed
 * @param {readonly Host[]} brokerHosts of the nodes of a private broker; none for another broker
 * @param {Placement} placement
 * @returns {PlacementRecord | null} null: nothing was pinned
 */
export function describePlacement({clients, servers}, brokerHosts, {brokerCores}) {
  const record = {
    client: unionOf(clients),
    server: unionOf(servers),
    broker: unionOf(brokerHosts.map(brokerCores)),
  };
  return Object.values(record).every((cores) => cores === null) ? null : record;
}

/** @param {readonly Cores[]} lists @returns {Cores} null where one is */
function unionOf(lists) {
  if (lists.length === 0 || lists.includes(null)) return null;
  return [...new Set(lists.flatMap((cores) => cores ?? []))].toSorted((one, other) => one - other);
}
