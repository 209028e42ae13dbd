import {sum} from 'simple-statistics';
import {roundRobin} from '../hosts/round-robin.js';

/**
 * @import {Host} from '../hosts/host.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {Interference, Usage as ProcessUsage} from '../measure/usage.js'
 * @import {CpuTimes, HostLoad} from '../results/trial.js'
 */

/**
 * @typedef {Pick<ProcessUsage, 'userMs' | 'systemMs' | 'host'> & Partial<Waits>} Usage
 *
 * @typedef {Pick<Interference, 'mainThreadMs' | 'runDelayMs' | 'wakeUps' | 'throttledMs' | 'stealMs'>} Waits
 */

/**
 * The load of each host that runs a client or a server, as these roles report it. Roles are assigned to hosts round-robin.
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {UsedByRoles} used
 * @returns {HostLoad[]} without hosts that report no load
 *
 * @typedef {{clients: readonly Usage[], servers: readonly Usage[], broker: BrokerUse | null}} UsedByRoles of each role, in their order
 *
 * @typedef {{usage: Pick<CpuTimes, 'userMs' | 'systemMs'> | null, hosts: readonly Host[] | null}} BrokerUse hosts: of its nodes; null where
 *   they are not known
 */
export function hostLoads(hosts, {broker, ...used}) {
  const roles = onHosts(hosts, used);
  return [...new Set(roles.map(({host}) => host))].flatMap((host) => {
    const usages = roles.filter((role) => role.host === host).map(({usage}) => usage);
    const seen = usages.find((usage) => usage.host !== null)?.host;
    if (!seen || seen.capacityMs === 0) return [];
    const brokerMs = broker ? brokerTimeOn(host, broker) : 0;
    const oursMs = brokerMs === null ? null : sum(usages.map(timeOf)) + brokerMs;
    return [{host: host.name, ...seen, oursMs}];
  });
}

/**
 * The largest share, over the processes of a trial, of the time in which one was ready to run and others kept it from running: other processes,
 * the hypervisor, or the limit of a control group. What a process waited for the roles and the broker themselves is not lost, because it is a
 * part of what is measured where they share cores. So on each host at most the time counts in which something else ran there.
 *
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {UsedByRoles} used
 * @returns {number | null} null where no process reports it
 */
export function lostShareOf(hosts, used) {
  const loads = hostLoads(hosts, used);
  const shares = onHosts(hosts, used).flatMap(
    ({host, usage}) => lostShareOfOne(usage, foreignMsOn(host, loads)) ?? [],
  );
  return shares.length > 0 ? Math.max(...shares) : null;
}

/** Run delay that is a part of waking up, also on an idle core: 2 to 3 µs were measured. It is not lost. */
const wakeUpMs = 0.005;

/**
 * @param {Partial<Waits>} usage
 * @param {number} foreignMs that something else ran on the host
 */
function lostShareOfOne(
  {mainThreadMs = null, runDelayMs = null, wakeUps = null, throttledMs = null, stealMs = null},
  foreignMs,
) {
  if (mainThreadMs === null || runDelayMs === null) return null;
  // The kernel counts the time of a throttled group as run delay of its processes, too.
  const heldBackMs = Math.min(throttledMs ?? 0, runDelayMs);
  const waitedMs = Math.max(0, runDelayMs - heldBackMs - (wakeUps ?? 0) * wakeUpMs);
  const lostMs = heldBackMs + Math.min(waitedMs, foreignMs) + (stealMs ?? 0);
  const readyMs = mainThreadMs + runDelayMs + (stealMs ?? 0);
  return readyMs > 0 ? lostMs / readyMs : 0;
}

/** The kernel reports idle times in steps of 10 ms for each of two kinds. */
const stepsMs = 20;

/** @param {Host} host @param {readonly HostLoad[]} loads @returns {number} infinite where it is not known */
function foreignMsOn({name}, loads) {
  const load = loads.find((one) => one.host === name);
  if (!load || load.oursMs === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, load.busyMs - load.oursMs) + stepsMs;
}

/** @param {Pick<Hosts, 'clients' | 'servers'>} hosts @param {Pick<UsedByRoles, 'clients' | 'servers'>} used */
function onHosts(hosts, {clients, servers}) {
  return [
    ...clients.map((usage, index) => ({host: roundRobin(hosts.clients, index), usage})),
    ...servers.map((usage, index) => ({host: roundRobin(hosts.servers, index), usage})),
  ];
}

/**
 * @param {Host} host
 * @param {BrokerUse} broker
 * @returns {number | null} null: unknown
 */
function brokerTimeOn(host, {usage, hosts}) {
  if (hosts && !hosts.includes(host)) return 0;
  // The CPU times of the nodes of a cluster are only known as a sum.
  const isSpread = hosts !== null && new Set(hosts).size > 1;
  return usage && !isSpread ? timeOf(usage) : null;
}

/** @param {{userMs: number, systemMs: number}} usage */
function timeOf({userMs, systemMs}) {
  return userMs + systemMs;
}
