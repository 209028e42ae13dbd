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
 * Decides where processes run (`--pin`). Left to the scheduler, the same round trip takes three times as long in one trial as in another: roles that
 * share a core need not wake another one.
 *
 * With `auto`, each client and server has a core of its own as far as there are enough. Different physical cores of one socket come first. Core 0, which
 * serves most interrupts, comes last. A private broker has the cores that are left if the host has three or more. On a host without servers, or without
 * clients, one core is left to the kernel.
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
      planHost(topology, countsOn(host, hosts, most), hosts.brokers.includes(host)),
    ]),
  );
  return {
    placeRoles: (counts) => placeInTurns(hosts, counts, plans),
    brokerCores: (host) => plans.get(host)?.broker ?? null,
    notes: [...topologies].flatMap(([host, topology]) => noteOf(host, topology)),
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

/**
 * @typedef {object} HostPlan
 * @property {readonly number[]} clients the cores on which its clients take turns
 * @property {readonly number[]} servers
 * @property {number[] | null} broker
 */

/**
 * @param {Topology | null} topology
 * @param {RoleCounts} counts of the processes on this host
 * @param {boolean} hasBroker
 * @returns {HostPlan | null} null: nothing is pinned
 */
function planHost(topology, {clients, servers}, hasBroker) {
  const cores = topology?.canPin ? bestFirst(topology.cores) : [];
  if (cores.length < 2) return null;
  const isShared = clients > 0 && servers > 0;
  const keepsOne = cores.length > 2 ? hasBroker || !isShared : !isShared;
  const used = cores.slice(0, Math.min(clients + servers, cores.length - (keepsOne ? 1 : 0)));
  const ofClients = isShared ? shareOf(used.length, clients, servers) : clients > 0 ? used.length : 0;
  const numbers = used.map(({number}) => number);
  return {
    clients: numbers.slice(0, ofClients),
    servers: numbers.slice(ofClients),
    broker: hasBroker && cores.length > 2 ? unusedCores(used, cores) : null,
  };
}

/** How many of the cores are for the clients. @param {number} cores at least two @param {number} clients @param {number} servers */
function shareOf(cores, clients, servers) {
  if (clients + servers <= cores) return clients;
  return Math.min(cores - 1, Math.max(1, Math.floor((cores * clients) / (clients + servers))));
}

/**
 * Physical cores come before their second hardware threads, and those of one socket stand together.
 * @param {readonly Core[]} cores
 */
function bestFirst(cores) {
  const numbers = cores.map(({number}) => number);
  const rankOf = (/** @type {Core} */ {siblings, number}) =>
    siblings.filter((one) => numbers.includes(one)).indexOf(number);
  return cores.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || other.package - one.package || other.number - one.number,
  );
}

/** The cores that are left; those that share no physical core with a role, if there are such. @param {readonly Core[]} used @param {readonly Core[]} cores */
function unusedCores(used, cores) {
  const left = cores.filter((core) => !used.includes(core));
  const apart = left.filter(({number}) => !used.some(({siblings}) => siblings.includes(number)));
  const chosen = apart.length > 0 ? apart : left;
  return chosen.map(({number}) => number).toSorted((one, other) => one - other);
}

/**
 * @param {{clients: readonly Host[], servers: readonly Host[]}} hosts
 * @param {RoleCounts} counts
 * @param {ReadonlyMap<Host, HostPlan | null>} plans
 * @returns {PlacedRoles}
 */
function placeInTurns(hosts, counts, plans) {
  const place = (/** @type {'clients' | 'servers'} */ role) =>
    Array.from({length: counts[role]}, (_, index) => {
      const cores = plans.get(roundRobin(hosts[role], index))?.[role] ?? [];
      const turn = Math.floor(index / hosts[role].length);
      return cores.length > 0 ? [roundRobin(cores, turn)] : null;
    });
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

/** @param {Host} host @param {Topology | null} topology */
function noteOf({name}, topology) {
  if (!topology?.canPin)
    return [`Processes on ${name} are not pinned to cores: taskset (util-linux) cannot be used there.`];
  if (topology.cores.length > 1) return [];
  return [`Processes on ${name} are not pinned: they may use one core only, which they share.`];
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
