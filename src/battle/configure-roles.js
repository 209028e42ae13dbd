import {connectionFor} from './broker-connection.js';
import {anyOf, eachOf, named} from './roles.js';
import {turnOf} from './take-turns.js';

/**
 * @import {ClockOffset} from './clocks.js'
 * @import {Roles} from './roles.js'
 * @import {TrialContext} from './trial.js'
 */

/** A server or client that is not ready by then never will be. */
export const readyWithinMs = 20_000;

/**
 * Tells every role its part, the servers first: the clients are told where they listen.
 * @param {TrialContext} context
 * @param {Roles} roles
 * @param {{clients: readonly ClockOffset[], servers: readonly ClockOffset[]}} clocks
 * @param {AbortSignal} signal
 * @returns what each said when it was ready
 * @throws what a role reported, or how it died
 */
export async function configureRoles(
  {cell, hosts, broker, values, names},
  {servers, clients},
  clocks,
  signal,
) {
  const shared = {
    ...withoutLists(values),
    ...cell.variant,
    ...cell.length,
    ...names,
    workload: cell.workload,
    payloadBytes: cell.payloadBytes,
    knownPayload: true,
  };
  const soon = anyOf(signal, AbortSignal.timeout(readyWithinMs + clients.length * 200));
  const isReady = named('ready');
  const hostOf = (/** @type {number} */ server) => turnOf(hosts.servers, server);
  servers.forEach((server, index) => {
    const {listenAddress} = hostOf(index);
    const clockAhead = clocks.clients.map(({offsetMs}) => clocks.servers[index].offsetMs - offsetMs);
    server.send({
      type: 'configure',
      options: {...shared, broker: connectionFor(broker, index), listenAddress, clockAhead},
    });
  });
  const serversReady = await eachOf(servers, (server) => server.waitFor(isReady, soon));
  const addresses = serversReady.map(({address}, index) => hostOf(index).addressFor(address));
  clients.forEach((client, index) => {
    // Each client's own server comes first: so the clients are spread over the servers.
    const own = addresses.map((_, offset) => turnOf(addresses, index + offset));
    const certificates = serversReady.flatMap(({certificate}) => certificate ?? []);
    const options = {
      ...shared,
      broker: connectionFor(broker, index),
      servers: own,
      certificates,
      client: index,
    };
    client.send({type: 'configure', options});
  });
  const clientsReady = await eachOf(clients, (client) => client.waitFor(isReady, soon));
  return [...serversReady, ...clientsReady];
}

/**
 * A list makes cells: what it has for this one stands in the variant, if it matters there at all.
 * @param {Record<string, any>} values
 */
function withoutLists(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !Array.isArray(value)));
}
