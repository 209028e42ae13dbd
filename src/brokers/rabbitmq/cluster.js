import {randomBytes, randomInt} from 'node:crypto';

/** @import {HostPlan as AnyPlan, PrivateSize} from '../kind.js' */

/** Below the ephemeral ports, and above those of well-known services. */
const portMapperPorts = {from: 10_000, to: 30_000};

/** The address by which the nodes of one host reach each other. */
export const loopback = '127.0.0.1';

/**
 * What one host runs of a private RabbitMQ.
 * @typedef {AnyPlan & PlannedNodes} HostPlan
 *
 * @typedef {object} PlannedNodes
 * @property {string} address IPv4, under which other nodes reach them
 * @property {string[]} nodes their names
 * @property {string} first the name of the node that all others join
 * @property {number} size how many nodes the broker has on all hosts together
 * @property {number | null} portMapperPort Erlang needs the same one on all hosts; null: any free one
 * @property {string} username
 * @property {string} password
 * @property {string} cookie the shared secret of the nodes
 * @property {number | undefined} [memoryBytes] the memory that the nodes assume their host to have; default what it has
 */

/**
 * Distributes the nodes over the hosts, round-robin. On one host they connect to each other by loopback, on several by the addresses under
 * which the roles reach them.
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
