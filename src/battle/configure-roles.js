import {brokerKindNamed} from '../brokers/index.js';
import {roundRobin} from '../hosts/host.js';
import {TimeLimitError, within} from '../measure/bounds.js';
import {readSentFile} from '../net/tls-files.js';
import {deriveSeed} from '../payload/random.js';
import {named} from '../protocol.js';
import {ownOptions} from '../settings/index.js';
import {brokerOf, transportNamed} from '../transports/index.js';
import {allOf, answersOf, lateTrial} from './roles.js';

/**
 * @import {RoleSettings, ServerReady} from '../messages.js'
 * @import {BattleValues} from '../settings/index.js'
 * @import {RoleClocks, Roles, TrialContext} from './types.js'
 */

/** How long a role may take to become ready. Each client adds 200 ms. */
export const readyWithinMs = 20_000;

/**
 * Configures every role. The servers come first, because the clients need the addresses of the servers.
 * @param {TrialContext} context @param {Roles} roles @param {RoleClocks} clocks @param {AbortSignal} signal
 * @returns the ready event of each role
 * @throws when a role reported an error, ended, or was not ready in time
 */
export async function configureRoles(context, roles, clocks, signal) {
  const shared = sharedSettings(context);
  const boundMs = readyWithinMs + roles.clients.length * 200;
  try {
    return await within(boundMs, signal, async (soon) => {
      const serversReady = await configureServers(context, roles, {shared, clocks, signal: soon});
      const clientsReady = await configureClients(context, roles, {shared, serversReady, signal: soon});
      return [...serversReady, ...clientsReady];
    });
  } catch (error) {
    if (!(error instanceof TimeLimitError) || signal.aborted) throw error;
    throw lateTrial(allOf(roles), boundMs);
  }
}

/** @typedef {Omit<RoleSettings, 'broker'>} SharedSettings each role has its own connection to the broker */

/** @param {TrialContext} context @returns {SharedSettings} */
function sharedSettings({cell, round, values, names}) {
  return {
    ...withoutLists(values),
    ...cell.variant,
    ...names,
    ...prefixOf(cell, names),
    seed: deriveSeed(values.seed, `round ${round}`),
    workload: cell.workload,
    payloadBytes: cell.payloadBytes,
    files: contentsOf(cell, values),
  };
}

/**
 * Returns the prefix of the names that external programs use on a broker.
 * @param {TrialContext['cell']} cell @param {TrialContext['names']} names
 */
function prefixOf(cell, names) {
  const kind = brokerOf(cell);
  if (kind === null || !transportNamed(cell.transport).runsPrograms) return {};
  const {key = ''} = brokerKindNamed(kind).nameOptions.at(-1) ?? {};
  return {brokerPrefix: names[key]};
}

/**
 * Reads the certificates and keys for roles that may run on other hosts. External programs receive none.
 * @param {TrialContext['cell']} cell @param {BattleValues} values
 * @returns {Record<string, string>} contents by path
 */
function contentsOf({transport: name, variant}, values) {
  const transport = transportNamed(name);
  if (transport.runsPrograms) return {};
  const ignored = transport.ignores?.(variant) ?? [];
  const paths = ownOptions(transport)
    .filter(({key, type}) => type.file?.isSent && !ignored.includes(key))
    .map(({key}) => /** @type {Record<string, unknown>} */ (values)[key]);
  return Object.fromEntries(
    paths.filter((path) => path !== null).map((path) => [path, readSentFile(String(path))]),
  );
}

/**
 * @param {TrialContext} context @param {Roles} roles
 * @param {{shared: SharedSettings, clocks: RoleClocks, signal: AbortSignal}} what
 */
async function configureServers({hosts, broker, awake}, {servers}, {shared, clocks, signal}) {
  servers.forEach((server, index) => {
    const host = roundRobin(hosts.servers, index);
    const {listenAddress} = host;
    const clockAhead = clocks.clients.map(({offsetMs}) => clocks.servers[index].offsetMs - offsetMs);
    const own = {
      broker: broker && roundRobin(broker.connections, index),
      listenAddress,
      clockAhead,
      knownPayload: true,
      mainCores: server.mainCores,
      keeperPid: awake?.pidOn(host) ?? null,
    };
    server.send({type: 'configure', options: {...shared, ...own}});
  });
  return await answersOf(servers, named('ready'), untilReady(signal));
}

/**
 * @param {TrialContext} context @param {Roles} roles
 * @param {{shared: SharedSettings, serversReady: readonly ServerReady[], signal: AbortSignal}} what
 */
async function configureClients({cell, hosts, broker, awake}, {clients}, {shared, serversReady, signal}) {
  const addresses = serversReady.flatMap(
    ({address}, index) => roundRobin(hosts.servers, index).addressFor(address) ?? [],
  );
  const certificates = serversReady.flatMap(({certificate}) => certificate ?? []);
  clients.forEach((client, index) => {
    // The client's own server comes first, so that the clients are spread over the servers.
    const servers = addresses.map((_, offset) => roundRobin(addresses, index + offset));
    const brokers = (broker?.connections ?? []).map((_, offset) =>
      roundRobin(broker?.connections ?? [], index + offset),
    );
    const own = {
      broker: brokers[0] ?? null,
      brokers,
      servers,
      certificates,
      client: index,
      mainCores: client.mainCores,
      keeperPid: awake?.pidOn(roundRobin(hosts.clients, index)) ?? null,
    };
    client.send({type: 'configure', options: {...shared, ...cell.length, ...own}});
  });
  return await answersOf(clients, named('ready'), untilReady(signal));
}

/** @param {AbortSignal} signal which also aborts when the time limit of all roles is over */
function untilReady(signal) {
  return {what: 'become ready', ms: Number.POSITIVE_INFINITY, signal};
}

/**
 * Omits lists, because the variant of the cell has the single value.
 * @param {BattleValues} values @returns {WithoutLists<BattleValues>}
 */
function withoutLists(values) {
  const single = Object.entries(values).filter(([, value]) => !Array.isArray(value));
  return /** @type {any} */ (Object.fromEntries(single));
}

/**
 * @template Values
 * @typedef {{[Key in keyof Values as Values[Key] extends readonly unknown[] | null ? never : Key]: Values[Key]}} WithoutLists
 */
