import {randomBytes, randomInt} from 'node:crypto';

/** @import {HostPlan as AnyPlan, PrivateSize} from '../kind.js' */

/** Below the ports that systems hand out by themselves, and above those that services are known by. */
const portMapperPorts = {from: 10_000, to: 30_000};

/** By which the nodes of one host reach each other. */
export const loopback = '127.0.0.1';

/**
 * What one host is to run of a private RabbitMQ.
 * @typedef {AnyPlan & PlannedNodes} HostPlan
 *
 * @typedef {object} PlannedNodes
 * @property {string} address IPv4, by which other nodes reach them
 * @property {string[]} nodes their names
 * @property {string} first the name of the node that all others join
 * @property {number} size how many nodes the broker has on all hosts together
 * @property {number | null} portMapperPort Erlang wants the same one on all hosts; null: whichever is free
 * @property {string} username
 * @property {string} password
 * @property {string} cookie that the nodes know each other by
 * @property {number | undefined} [memoryBytes] what the nodes are told that their host has; default what it has
 */

/**
 * The nodes stand on the hosts turn by turn. They have to do with each other by loopback on one host, and by the address under which the roles
 * reach them on several.
 * @param {readonly string[]} hostnames one a host, at most as many as nodes
 * @param {PrivateSize} asked
 * @returns {HostPlan[]} one a host
 */
export function planHosts(hostnames, {nodes: size, memoryBytes}) {
  const isSpread = hostnames.length > 1;
  const addresses = hostnames.map((hostname) => (isSpread ? hostname : loopback));
  const names = namesOf(addresses, size);
  const shared = {
    first: names[0],
    size,
    portMapperPort: isSpread ? randomInt(portMapperPorts.from, portMapperPorts.to) : null,
    username: 'perf-battle',
    password: randomBytes(18).toString('base64url'),
    cookie: randomBytes(24).toString('hex'),
    memoryBytes,
  };
  return hostnames.map((hostname, host) => ({
    ...shared,
    hostname,
    address: addresses[host],
    nodes: names.filter((_, node) => node % hostnames.length === host),
  }));
}

/** @param {readonly string[]} addresses @param {number} size */
function namesOf(addresses, size) {
  const id = randomBytes(4).toString('hex');
  return Array.from(
    {length: size},
    (_, node) => `perf-battle-${id}-${node + 1}@${addresses[node % addresses.length]}`,
  );
}
