import {roundRobin} from '../hosts/host.js';

/**
 * @import {Host} from '../hosts/host.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {NetworkUse} from '../measure/network.js'
 */

/** @typedef {{wallMs: number, network?: NetworkUse | null}} Usage of a role */

/**
 * How many segments TCP sent again on the hosts of the clients and servers, each host once.
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {UsedByRoles} used
 * @returns {number | null} null where a host does not report it
 *
 * @typedef {{clients: readonly Usage[], servers: readonly Usage[]}} UsedByRoles of each role, in their order
 */
export function retransmitsOf(hosts, used) {
  const retransmits = [...onHosts(hosts, used).values()].map(({network}) => network?.tcpRetransmits ?? null);
  return retransmits.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

/**
 * How fast bytes crossed the link between the hosts that had to wait for each other. With one message in flight, those of the request and
 * of the reply: the link carries only one of them at a time. With several, those of the busier direction of the busiest host, because a link
 * carries both directions at once. A broker on a third host passes each message on, so it crosses two links, which are taken to be alike.
 *
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {UsedByRoles} used
 * @param {{isOneAtATime: boolean, brokerHosts: readonly Host[] | null}} trial brokerHosts: null without a broker, and where they are not known
 * @returns {number | null} bytes per second; null within one host, or where it is not known
 */
export function linkUseOf(hosts, used, {isOneAtATime, brokerHosts}) {
  const all = onHosts(hosts, used);
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
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {UsedByRoles} used
 * @returns {Map<Host, Usage>}
 */
function onHosts(hosts, {clients, servers}) {
  /** @type {Map<Host, Usage>} */
  const found = new Map();
  for (const [list, usages] of /** @type {const} */ ([
    [hosts.clients, clients],
    [hosts.servers, servers],
  ])) {
    for (const [index, usage] of usages.entries()) {
      const host = roundRobin(list, index);
      if (!found.has(host)) found.set(host, usage);
    }
  }
  return found;
}
