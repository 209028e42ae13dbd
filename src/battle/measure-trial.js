import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {readProcessTimes} from '../measure/process-times.js';
import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {mergeResults} from './merge-results.js';

/** A server or client that is not ready by then never will be. */
export const readyWithinMs = 20_000;

/**
 * @typedef {import('../hosts/role-process.js').RoleProcess} RoleProcess
 * @typedef {{servers: RoleProcess[], clients: RoleProcess[]}} Roles
 */

/**
 * The measured part of a trial and what leads to it: all roles are configured, the clients warm up, everybody's use is noted, the clients begin
 * together, and when they are done it is noted again.
 *
 * @param {import('./trial.js').TrialContext} context
 * @param {Roles} roles
 * @param {AbortSignal} signal
 * @throws {RunError} what a role reported, how it died, or PB_NEGATIVE_LATENCY
 */
export async function measureTrial(context, {servers, clients}, signal) {
  const {cell, broker} = context;
  const ready = await configureAll(context, {servers, clients}, signal);
  for (const client of clients) client.send({type: 'start'});
  const warm = await eachOf(clients, (client) => client.waitFor(inPhase('warm'), signal));
  await untilReceived(
    servers,
    sumOf(warm, ({sent}) => sent ?? 0),
    signal,
  );

  await eachOf(servers, (server) => markOf(server, signal));
  const brokerBefore = readProcessTimes(broker?.pid ?? null);
  for (const client of clients) client.send({type: 'go'});
  const begun = await eachOf(clients, (client) => client.waitFor(inPhase('measuring'), signal));
  const measured = await eachOf(clients, (client) => client.waitFor(inPhase('measured'), signal));
  await untilReceived(
    servers,
    sumOf(measured, ({sent}) => sent ?? 0),
    signal,
  );
  const brokerAfter = readProcessTimes(broker?.pid ?? null);
  const marks = await eachOf(servers, (server) => markOf(server, signal));

  const results = await eachOf(clients, (client) => client.waitFor(named('result'), signal));
  const wallMs = Math.max(...measured.map(({atMs}) => atMs)) - Math.min(...begun.map(({atMs}) => atMs));
  const usesBroker = transportNamed(cell.transport).needsBroker;
  const brokerUsage = usesBroker ? subtract(brokerAfter, brokerBefore) : null;
  const {clientUsage, serverUsage, negative, ...merged} = mergeResults({
    workload: workloads[cell.workload],
    results,
    marks,
    wallMs,
  });
  if (negative > 0) throw negativeLatency(negative);
  if (!(merged.messagesPerSecond > 0 && merged.summedPerSecond > 0 && Number.isFinite(merged.figureMs)))
    throw new RunError(
      'Too few messages came to tell a rate: measure longer (--duration), or at a higher --rate.',
      {
        code: 'PB_NO_RATE',
      },
    );
  return {
    ...merged,
    usage: {client: clientUsage, server: serverUsage, broker: brokerUsage},
    brokerUnseen: usesBroker && brokerUsage === null,
    details: /** @type {Record<string, unknown>} */ (Object.assign({}, ...ready.map(({details}) => details))),
  };
}

/**
 * @param {import('./trial.js').TrialContext} context
 * @param {Roles} roles
 * @param {AbortSignal} signal
 */
async function configureAll({cell, host, broker, values, names}, {servers, clients}, signal) {
  const shared = {
    ...withoutLists(values),
    ...cell.variant,
    ...cell.length,
    ...names,
    broker: broker?.connection ?? null,
    workload: cell.workload,
    payloadBytes: cell.payloadBytes,
    knownPayload: true,
  };
  const soon = AbortSignal.any([signal, AbortSignal.timeout(readyWithinMs + clients.length * 200)]);
  const isReady = named('ready');
  for (const server of servers) {
    server.send({type: 'configure', options: {...shared, listenAddress: host.listenAddress}});
  }
  const serversReady = await eachOf(servers, (server) => server.waitFor(isReady, soon));
  clients.forEach((client, index) => {
    // Each client's own server comes first: so the clients are spread over the servers.
    const own = serversReady.map((_, offset) => serversReady[(index + offset) % serversReady.length].address);
    const certificates = serversReady.flatMap(({certificate}) => certificate ?? []);
    client.send({type: 'configure', options: {...shared, servers: own, certificates, client: index}});
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

/** The servers of a one-way workload count on after the clients have sent all; where nothing comes any more, the rest is lost. */
const nothingComesMs = 1500;
const lookEveryMs = 20;

/**
 * @param {RoleProcess[]} servers
 * @param {number} sent 0 for the workloads whose clients know themselves what came back
 * @param {AbortSignal} signal
 */
async function untilReceived(servers, sent, signal) {
  if (sent === 0) return;
  let received = -1;
  let since = performance.now();
  while (performance.now() - since < nothingComesMs) {
    for (const server of servers) server.send({type: 'count'});
    const counts = await eachOf(servers, (server) => server.waitFor(inPhase('count'), signal));
    const total = sumOf(counts, (count) => count.received);
    if (total >= sent) return;
    if (total > received) since = performance.now();
    received = total;
    await sleep(lookEveryMs, undefined, {signal});
  }
}

/** @param {number} count */
function negativeLatency(count) {
  return new RunError(
    `${count} messages came before they were sent: the clocks of sender and receiver do not agree, so no latency can be told.`,
    {code: 'PB_NEGATIVE_LATENCY'},
  );
}

/** @param {RoleProcess} server @param {AbortSignal} signal */
function markOf(server, signal) {
  server.send({type: 'mark'});
  return server.waitFor(inPhase('mark'), signal);
}

/**
 * @template Result
 * @param {RoleProcess[]} roles
 * @param {(role: RoleProcess) => Promise<Result>} ask
 */
function eachOf(roles, ask) {
  return Promise.all(roles.map(ask));
}

/**
 * @template One
 * @param {readonly One[]} list
 * @param {(one: One) => number} figureOf
 */
function sumOf(list, figureOf) {
  return list.reduce((total, one) => total + figureOf(one), 0);
}

/** @param {string} name */
function named(name) {
  return (/** @type {{event: string}} */ event) => event.event === name;
}

/** @param {string} phase */
function inPhase(phase) {
  return (/** @type {{event: string, phase?: string}} */ event) =>
    event.event === 'progress' && event.phase === phase;
}

/**
 * @param {ReturnType<typeof readProcessTimes>} after
 * @param {ReturnType<typeof readProcessTimes>} before
 */
function subtract(after, before) {
  if (!after || !before) return null;
  return {
    userMs: after.userMs - before.userMs,
    systemMs: after.systemMs - before.systemMs,
    maxRssBytes: after.maxRssBytes,
  };
}
