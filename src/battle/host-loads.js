import {sum} from 'simple-statistics';
import {roundRobin} from './round-robin.js';

/**
 * @import {Host} from '../hosts/host.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {Usage as ProcessUsage} from '../measure/usage.js'
 * @import {CpuTimes, HostLoad} from '../results/trial.js'
 */

/** @typedef {Pick<ProcessUsage, 'userMs' | 'systemMs' | 'host'>} Usage */

/**
 * The load of each host that runs a client or a server, as these roles report it. Roles are assigned to hosts round-robin.
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {{clients: readonly Usage[], servers: readonly Usage[], broker: BrokerUse | null}} used by each role, in their order
 * @returns {HostLoad[]} without hosts that report no load
 *
 * @typedef {{usage: Pick<CpuTimes, 'userMs' | 'systemMs'> | null, hosts: readonly Host[] | null}} BrokerUse hosts: of its nodes; null where
 *   they are not known
 */
export function hostLoads(hosts, {clients, servers, broker}) {
  const roles = [
    ...clients.map((usage, index) => ({host: roundRobin(hosts.clients, index), usage})),
    ...servers.map((usage, index) => ({host: roundRobin(hosts.servers, index), usage})),
  ];
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
