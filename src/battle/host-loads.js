import {sum} from 'simple-statistics';
import {roundRobin} from '../hosts/host.js';
import {tickMs} from '../measure/system.js';

/**
 * @import {Host, Hosts, Placed} from '../hosts/types.js'
 * @import {NetworkUse} from '../measure/types.js'
 * @import {HostLoad as JournalHostLoad} from '../results/types.js'
 * @import {BrokerUse, OfRoles, Sharing, TrialPlaces, Usage, UsedByRoles, UsedInTurn, Waits} from './types.js'
 */

/**
 * @typedef {Required<JournalHostLoad>} HostLoad
 */

/**
 * The load of each host that runs a client or a server, as these roles report it. Roles are assigned to hosts round-robin.
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts @param {UsedByRoles} used @param {Sharing} [sharing]
 * @returns {HostLoad[]} without hosts that report no load
 */
export function hostLoads(hosts, {broker, ...used}, sharing = alone) {
  const roles = onHosts(hosts, used);
  return [...new Set(roles.map(({host}) => host))].flatMap((host) => {
    const usages = roles.filter((role) => role.host === host).map(({usage}) => usage);
    const seen = usages.find((usage) => usage.host !== null)?.host;
    if (!seen || seen.capacityMs === 0) return [];
    const brokerMs = broker ? brokerTimeOn(host, broker) : 0;
    const ownMs = brokerMs === null ? null : sum(usages.map(timeOf)) + brokerMs;
    const othersMs = sharing.othersMs.has(host) ? (sharing.othersMs.get(host) ?? null) : 0;
    const oursMs = ownMs === null || othersMs === null ? null : ownMs + othersMs;
    const {processesMs = null, switches = null, ...use} = seen;
    const foreignMs = oursMs === null ? null : foreignMsOf({...use, oursMs, processesMs, switches});
    return [{host: host.name, ...use, oursMs, foreignMs}];
  });
}

/** @type {Sharing} */
const alone = {othersMs: new Map(), ownShare: 1};

/**
 * What trials that are measured in turn leave to each other.
 * @param {readonly UsedInTurn[]} trials
 * @param {number} ownMs CPU of this process meanwhile, which leads them
 * @returns {Sharing[]} of each trial
 */
export function sharingOf(trials, ownMs) {
  if (trials.length === 0) return [];
  const [{hosts}] = trials;
  const brokers = [...new Map(trials.map(({ofBroker}) => [ofBroker?.broker, ofBroker])).values()];
  const places = [...new Set([...hosts.clients, ...hosts.servers])];
  const wallMs = sum(trials.map((trial) => trial.wallMs));
  const rolesMs = (/** @type {Host} */ host, /** @type {UsedByRoles} */ used) =>
    sum(onHosts(hosts, used).map((role) => (role.host === host ? timeOf(role.usage) : 0)));
  const brokerMs = (/** @type {Host} */ host, /** @type {readonly (BrokerUse | null)[]} */ list) =>
    sumOrUnknown(list.map((broker) => (broker ? brokerTimeOn(host, broker) : 0)));
  const others = (/** @type {UsedByRoles} */ own, /** @type {Host} */ host) => {
    const ofAll = sumOrUnknown([
      ...trials.map(({used}) => rolesMs(host, used)),
      brokerMs(host, brokers),
      host.isRemote ? 0 : ownMs,
    ]);
    const ofOwn = sumOrUnknown([rolesMs(host, own), brokerMs(host, [own.broker])]);
    return ofAll === null || ofOwn === null ? null : Math.max(0, ofAll - ofOwn);
  };
  return trials.map(({used, wallMs: measuredMs}) => ({
    ownShare: measuredMs / wallMs,
    othersMs: new Map(places.map((host) => [host, others(used, host)])),
  }));
}

/** @param {readonly (number | null)[]} values @returns {number | null} null if one is not known */
function sumOrUnknown(values) {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

/** What each switch between processes takes that no process is charged with: 2 µs were measured on a virtual machine. */
const switchMs = 0.002;

/**
 * The CPU time of other processes on a host, at least. The kernel charges processes exactly. In a container, which does not see all of them, it is
 * what was busy beside the roles, the broker and the switches between processes. Both have steps of 10 ms.
 * @param {{busyMs: number, oursMs: number, processesMs: number | null, switches: number | null}} load
 */
function foreignMsOf({busyMs, oursMs, processesMs, switches}) {
  const otherMs =
    processesMs === null ? busyMs - oursMs - (switches ?? 0) * switchMs - tickMs : processesMs - oursMs;
  return Math.max(0, otherMs - tickMs);
}

/**
 * The largest share of a host's CPU that other processes used, over the hosts on which several processes of the trial ran. Where these are not
 * pinned, it says how much the scheduler had to place them elsewhere than it would on an idle host.
 * @param {readonly HostLoad[]} loads @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {UsedByRoles} used
 * @returns {number | null} null where it is not known
 */
export function foreignShareOf(loads, hosts, used) {
  const users = [...onHosts(hosts, used).map(({host}) => host), ...(used.broker?.hosts ?? [])];
  const shares = loads.flatMap(({host, foreignMs, capacityMs}) =>
    users.filter(({name}) => name === host).length > 1 && foreignMs !== null ? foreignMs / capacityMs : [],
  );
  return shares.length > 0 ? Math.max(...shares) : null;
}

/**
 * The largest share, over the processes of a trial, of the time in which one was ready to run and others kept it from running: other processes,
 * the hypervisor, or the limit of a control group. What a process waited for the roles and the broker themselves is not lost, because it is a
 * part of what is measured where they share cores. The kernel does not say for whom a process waited. So it is divided in proportion to the CPU
 * time of those that may have been in the way, and on each host at most the time counts in which something else ran there.
 * @param {readonly HostLoad[]} loads @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {UsedByRoles} used @param {Sharing} [sharing] @param {TrialPlaces} [places]
 * @returns {number | null} null where no process reports it
 */
export function lostShareOf(loads, hosts, used, {ownShare} = alone, places = anywhere) {
  const placed = onHosts(hosts, places).map(({usage: place}) => place);
  const roles = onHosts(hosts, used).map((role, index) => ({...role, place: placed[index] ?? null}));
  const shares = roles.flatMap((role) => {
    const foreignMs = foreignMsOn(role.host, loads) * ownShare;
    const beside = roles.filter(({host}) => host === role.host);
    const oursMs = sum(beside.map((one) => inTheWayMs(one, role))) + brokerInTheWayMs(used, places, role);
    return lostShareOfOne(role.usage, {foreignMs, oursMs}) ?? [];
  });
  return shares.length > 0 ? Math.max(...shares) : null;
}

/** @type {TrialPlaces} */
const anywhere = {clients: [], servers: [], brokerCores: () => null};

/** @typedef {{host: Host, usage: Usage, place: Placed}} PlacedRole */

/**
 * The CPU time of a role that the main thread of a role on the same host, or of itself, may have waited for. What is left out of the time of the one was
 * not measured of the other.
 * @param {PlacedRole} one @param {PlacedRole} other
 */
function inTheWayMs(one, other) {
  const {userMs, systemMs, mainThreadMs} = one.usage;
  // Programs of other languages report the time of all threads as that of the main one.
  const mainMs = mainThreadMs ?? userMs + systemMs;
  const othersMs = Math.max(0, userMs + systemMs - mainMs);
  const meets = mayMeet(one.place?.cores, other.place?.cores);
  const roamsMs = meets || one.place?.threads === 'main' ? othersMs : 0;
  return one !== other && meets ? mainMs + roamsMs : roamsMs;
}

/** @param {UsedByRoles} used @param {TrialPlaces} places @param {PlacedRole} role */
function brokerInTheWayMs({broker}, {brokerCores}, {host, place}) {
  if (!broker || !mayMeet(brokerCores(host), place?.cores)) return 0;
  return brokerTimeOn(host, broker) ?? 0;
}

/** @param {readonly number[] | null | undefined} some none: any core @param {readonly number[] | null | undefined} others */
function mayMeet(some, others) {
  return !some || !others || some.some((core) => others.includes(core));
}

/** Run delay that is a part of waking up, also on an idle core: 2 to 3 µs were measured. It is not lost. */
const wakeUpMs = 0.005;

/**
 * @param {Partial<Waits>} usage
 * @param {{foreignMs: number, oursMs: number}} inTheWay what may have run while the process waited, on the same host
 */
function lostShareOfOne(
  {mainThreadMs = null, runDelayMs = null, wakeUps = null, throttledMs = null, stealMs = null},
  {foreignMs, oursMs},
) {
  if (mainThreadMs === null || runDelayMs === null) return null;
  // The kernel counts the time of a throttled group as run delay of its processes, too.
  const heldBackMs = Math.min(throttledMs ?? 0, runDelayMs);
  const waitedMs = Math.max(0, runDelayMs - heldBackMs - (wakeUps ?? 0) * wakeUpMs);
  const foreignShare =
    oursMs === 0 || foreignMs === Number.POSITIVE_INFINITY ? 1 : foreignMs / (foreignMs + oursMs);
  const lostMs = heldBackMs + Math.min(waitedMs * foreignShare, foreignMs) + (stealMs ?? 0);
  const readyMs = mainThreadMs + runDelayMs + (stealMs ?? 0);
  return readyMs > 0 ? lostMs / readyMs : 0;
}

/** @param {Host} host @param {readonly HostLoad[]} loads @returns {number} infinite where it is not known */
function foreignMsOn({name}, loads) {
  return loads.find((one) => one.host === name)?.foreignMs ?? Number.POSITIVE_INFINITY;
}

/**
 * @template One
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts @param {OfRoles<One>} used
 */
function onHosts(hosts, {clients, servers}) {
  return [
    ...clients.map((usage, index) => ({host: roundRobin(hosts.clients, index), usage})),
    ...servers.map((usage, index) => ({host: roundRobin(hosts.servers, index), usage})),
  ];
}

/** @param {Host} host @param {BrokerUse} broker @returns {number | null} null: unknown */
function brokerTimeOn(host, {usage, hosts}) {
  if (hosts && !hosts.includes(host)) return 0;
  // The CPU times of the nodes of a cluster are only known as a sum.
  const isSpread = hosts !== null && new Set(hosts).size > 1;
  return usage && !isSpread ? timeOf(usage) : null;
}

/** @param {{userMs: number, systemMs: number, leftOutMs?: number}} usage */
function timeOf({userMs, systemMs, leftOutMs = 0}) {
  return userMs + systemMs + leftOutMs;
}

/** @typedef {{wallMs: number, network?: NetworkUse | null}} NetworkUsage of a role */

/**
 * How many segments TCP sent again on the hosts of the clients and servers, each host once.
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts @param {OfRoles<NetworkUsage>} used
 * @returns {number | null} null where a host does not report it
 */
export function retransmitsOf(hosts, used) {
  const retransmits = [...firstOnHosts(hosts, used).values()].map(
    ({network}) => network?.tcpRetransmits ?? null,
  );
  return retransmits.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

/**
 * How fast bytes crossed the link between the hosts that had to wait for each other. With one message in flight, those of the request and
 * of the reply: the link carries only one of them at a time. With several, those of the busier direction of the busiest host, because a link
 * carries both directions at once. A broker on a third host passes each message on, so it crosses two links, which are taken to be alike.
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts @param {OfRoles<NetworkUsage>} used
 * @param {{isOneAtATime: boolean, brokerHosts: readonly Host[] | null}} trial brokerHosts: null without a broker, and where they are not known
 * @returns {number | null} bytes per second; null within one host, or where it is not known
 */
export function linkUseOf(hosts, used, {isOneAtATime, brokerHosts}) {
  const all = firstOnHosts(hosts, used);
  if (all.size < 2) return null;
  const rates = [...all].map(([host, {wallMs, network}]) => ({
    host,
    sent: network ? (network.sentBytes * 1000) / wallMs : Number.NaN,
    received: network ? (network.receivedBytes * 1000) / wallMs : Number.NaN,
  }));
  if (rates.some(({sent}) => Number.isNaN(sent))) return null;
  if (!isOneAtATime || all.size > 2) {
    return Math.max(...rates.flatMap(({sent, received}) => [sent, received]));
  }
  const isBrokerApart = brokerHosts !== null && !brokerHosts.some((host) => all.has(host));
  const crossed = isBrokerApart ? rates : rates.filter(({host}) => host === hosts.clients[0]);
  return crossed.reduce((total, {sent, received}) => total + sent + received, 0);
}

/**
 * The first usage of each host: all roles of a host see the same network.
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts @param {OfRoles<NetworkUsage>} used
 */
function firstOnHosts(hosts, used) {
  return new Map(
    onHosts(hosts, used)
      .toReversed()
      .map(({host, usage}) => [host, usage]),
  );
}
