import {UsageError} from '../errors.js';
import {formatCores, parsePin} from '../measure/cores.js';
import {roundRobin} from './host.js';

/**
 * @import {PlacementRecord} from '../results/types.js'
 * @import {Core, Host, PlacedRoles, Placement, RoleCounts, Topology} from './types.js'
 */

/**
 * Decides where processes run (`--pin`). Left to the scheduler, client and server share a core in one trial and have two in another, and the same
 * round trip takes a third or three times as long.
 *
 * With `main`, the main thread of each client and server has its own core: a physical one, if there are enough. `auto` does the same where it can. A whole process on one core would be slower than usual, because the threads that collect its garbage could not
 * run beside it: HTTP at 100 KB took 1.8 times as long. Core 0, which serves most interrupts, comes last. A private broker has the cores that are
 * left, if there are two.
 * @param {string} pin auto, main, none, or lists of cores
 * @param {{clients: readonly Host[], servers: readonly Host[], brokers: readonly Host[]}} hosts processes take turns on them
 * @param {{most: RoleCounts, topologies: ReadonlyMap<Host, Topology | null>}} battle most: processes at once
 * @returns {Placement}
 * @throws {UsageError} when a host does not have the cores, or cannot pin
 */
export function planPlacement(pin, hosts, {most, topologies}) {
  const given = parsePin(pin);
  if (given === 'none' || given === undefined) return free;
  if (given !== 'auto' && given !== 'main') return placeAsGiven(given, hosts, topologies);
  /** How many cores of a machine its hosts have so far: several may be containers of one. @type {Map<string, number>} */
  const taken = new Map();
  const plans = new Map(
    [...topologies].map(([host, topology]) => {
      const counts = countsOn(host, hosts, most);
      const machine = topology?.machine ?? host.name;
      const before = taken.get(machine) ?? 0;
      taken.set(machine, before + counts.clients + counts.servers);
      const brokers = hosts.brokers.includes(host) ? 1 : 0;
      return [host, planHost(host.name, topology, {...counts, brokers, before})];
    }),
  );
  const reasons = [...plans.values()].flatMap(({note}) => note ?? []);
  if (given === 'main' && reasons.length > 0) throw new UsageError(`--pin main: ${reasons.join(' ')}`);
  return {
    placeRoles: (counts) => placeInTurns(hosts, counts, plans),
    brokerCores: (host) => plans.get(host)?.broker ?? null,
    used: (host) => plans.get(host)?.used ?? [],
    notes: reasons,
  };
}

/** @type {Placement} */
export const free = {
  placeRoles: ({clients, servers}) => ({
    clients: Array(clients).fill(null),
    servers: Array(servers).fill(null),
  }),
  brokerCores: () => null,
  used: () => [],
  notes: [],
};

/** @param {string} reason as it follows "because" @returns {Placement} that pins nothing */
export function floating(reason) {
  return {...free, notes: [`Processes are not pinned to cores, because ${reason}.`]};
}

/**
 * @param {{client: number[], server: number[], broker: number[] | null}} given
 * @param {{clients: readonly Host[], servers: readonly Host[], brokers: readonly Host[]}} hosts
 * @param {ReadonlyMap<Host, Topology | null>} topologies @returns {Placement}
 */
function placeAsGiven({client, server, broker}, {clients, servers, brokers}, topologies) {
  for (const host of clients) refuseMissing(client, host, topologies.get(host));
  for (const host of servers) refuseMissing(server, host, topologies.get(host));
  for (const host of broker ? brokers : []) refuseMissing(broker ?? [], host, topologies.get(host));
  const place = (/** @type {number[]} */ cores) => ({cores, threads: /** @type {const} */ ('all')});
  return {
    placeRoles: (counts) => ({
      clients: Array(counts.clients).fill(place(client)),
      servers: Array(counts.servers).fill(place(server)),
    }),
    brokerCores: () => broker,
    used: (host) =>
      sorted([
        ...new Set([
          ...(clients.includes(host) ? client : []),
          ...(servers.includes(host) ? server : []),
          ...(brokers.includes(host) ? (broker ?? []) : []),
        ]),
      ]),
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

/** With fewer cores of its own, a broker runs on any. */
const minBrokerCores = 2;

/**
 * @typedef {object} HostPlan
 * @property {readonly number[]} clients the core of the main thread of each
 * @property {readonly number[]} servers
 * @property {number[] | null} broker
 * @property {number[]} used
 * @property {string | null} note why nothing is placed
 */

/**
 * @param {string} name @param {Topology | null} topology
 * @param {RoleCounts & {brokers: number, before: number}} counts of the processes on this host; before: clients and servers of other hosts on its machine
 * @returns {HostPlan}
 */
function planHost(name, topology, {clients, servers, brokers, before}) {
  const roles = clients + servers;
  if (roles + brokers === 0) return unplaced(null);
  if (!topology?.canPin)
    return unplaced(
      `Processes on ${name} are not pinned to cores: taskset (util-linux) cannot be used there.`,
    );
  const all = inOrder(topology.cores);
  const cores = all.slice(before);
  if (roles > 0 && (all.length < 2 || cores.length < roles))
    return unplaced(
      `Processes on ${name} are not pinned to cores: it has ${all.length}, and needs ${Math.max(2, before + roles)}.`,
    );
  const rest = cores.slice(roles);
  return {
    clients: cores.slice(0, clients),
    servers: cores.slice(clients, roles),
    broker: roles > 0 && brokers > 0 && rest.length >= minBrokerCores ? sorted(rest) : null,
    used: sorted(brokers > 0 ? all : cores.slice(0, roles)),
    note: null,
  };
}

/** @param {string | null} note @returns {HostPlan} */
function unplaced(note) {
  return {clients: [], servers: [], broker: null, used: [], note};
}

/**
 * A thread of each physical core comes before the second threads. The cores of a socket stand together, and the first core comes last.
 * @param {readonly Core[]} cores
 */
function inOrder(cores) {
  const rankOf = (/** @type {Core} */ {number, siblings}) =>
    siblings.filter((other) => other < number).length;
  return cores
    .toSorted(
      (one, other) => rankOf(one) - rankOf(other) || other.package - one.package || other.number - one.number,
    )
    .map(({number}) => number);
}

/** @param {readonly number[]} cores */
function sorted(cores) {
  return cores.toSorted((one, other) => one - other);
}

/**
 * @param {{clients: readonly Host[], servers: readonly Host[]}} hosts @param {RoleCounts} counts
 * @param {ReadonlyMap<Host, HostPlan>} plans @returns {PlacedRoles}
 */
function placeInTurns(hosts, counts, plans) {
  const place = (/** @type {'clients' | 'servers'} */ role) =>
    Array.from({length: counts[role]}, (_, index) => {
      const own = plans.get(roundRobin(hosts[role], index))?.[role] ?? [];
      const core = own[Math.floor(index / hosts[role].length)];
      return core === undefined ? null : {cores: [core], threads: /** @type {const} */ ('main')};
    });
  return {clients: place('clients'), servers: place('servers')};
}

/**
 * @param {Host} host @param {{clients: readonly Host[], servers: readonly Host[]}} hosts
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
 * @returns {PlacementRecord | null} null: nothing was placed
 */
export function describePlacement({clients, servers}, brokerHosts, {brokerCores}) {
  const record = {
    client: unionOf(clients.map((place) => place?.cores ?? null)),
    server: unionOf(servers.map((place) => place?.cores ?? null)),
    broker: unionOf(brokerHosts.map(brokerCores)),
  };
  if (Object.values(record).every((cores) => cores === null)) return null;
  const [threads] = [...clients, ...servers].flatMap((place) => place?.threads ?? []);
  return {...record, threads: threads ?? 'all'};
}

/** @param {readonly (number[] | null)[]} lists @returns {number[] | null} null where one is */
function unionOf(lists) {
  if (lists.length === 0 || lists.includes(null)) return null;
  return [...new Set(lists.flatMap((cores) => cores ?? []))].toSorted((one, other) => one - other);
}
