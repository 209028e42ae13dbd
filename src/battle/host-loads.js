import {sum} from 'simple-statistics';
import {turnOf} from './take-turns.js';

/**
 * @import {Host} from '../hosts/host.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {Usage as ProcessUsage} from '../measure/usage.js'
 * @import {CpuTimes, HostLoad} from '../results/trial.js'
 */

/**
 * @typedef {Pick<ProcessUsage, 'userMs' | 'systemMs' | 'host'>} Usage
 */

/**
 * The load of each host on which a role runs, for the roles alone see their host. They take turns on their hosts.
 * @param {Pick<Hosts, 'clients' | 'servers' | 'brokers'>} hosts
 * @param {{clients: readonly Usage[], servers: readonly Usage[], broker: BrokerUse | null}} used by each role, in their order
 * @returns {HostLoad[]} none for hosts that do not tell
 *
 * @typedef {{usage: Pick<CpuTimes, 'userMs' | 'systemMs'> | null, isPrivate: boolean}} BrokerUse
 */
export function hostLoads(hosts, {clients, servers, broker}) {
  const roles = [
    ...clients.map((usage, index) => ({host: turnOf(hosts.clients, index), usage})),
    ...servers.map((usage, index) => ({host: turnOf(hosts.servers, index), usage})),
  ];
  return [...new Set(roles.map(({host}) => host))].flatMap((host) => {
    const usages = roles.filter((role) => role.host === host).map(({usage}) => usage);
    const seen = usages.find((usage) => usage.host !== null)?.host;
    if (!seen || seen.capacityMs === 0) return [];
    const brokerMs = broker ? brokerTimeOn(host, hosts.brokers, broker) : 0;
    const oursMs = brokerMs === null ? null : sum(usages.map(timeOf)) + brokerMs;
    return [{host: host.name, ...seen, oursMs}];
  });
}

/**
 * @param {Host} host
 * @param {readonly Host[]} brokers
 * @param {BrokerUse} broker
 * @returns {number | null} null: who knows
 */
function brokerTimeOn(host, brokers, {usage, isPrivate}) {
  if (isPrivate && !brokers.includes(host)) return 0;
  // The nodes of a cluster are told together.
  const isAlone = new Set(brokers).size === 1;
  return usage && (!isPrivate || isAlone) ? timeOf(usage) : null;
}

/** @param {{userMs: number, systemMs: number}} usage */
function timeOf({userMs, systemMs}) {
  return userMs + systemMs;
}
