import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {readProcessTimes} from '../measure/process-times.js';
import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {mergeResults} from './merge-results.js';

/** A server or client that is not ready by then never will be. */
const readyWithinMs = 20_000;
/** When one role fails another may have died first, a moment ago: its end tells more. */
const waitForRootCauseMs = 250;

/**
 * @typedef {object} TrialContext
 * @property {import('./plan.js').Cell} cell
 * @property {import('../hosts/local.js').Host} host
 * @property {import('../brokers/index.js').Broker | null} broker
 * @property {Record<string, any>} values the battle's settings
 * @property {{exchange: string, queue: string}} names on the broker
 * @property {AbortSignal} signal
 */

/**
 * The life of one trial: fresh servers and fresh clients, warm-up, the measured part, their end.
 *
 * @param {TrialContext} context
 * @returns {Promise<TrialOutcome>}
 * @throws {InterruptedError} when the signal aborts, after all processes are gone
 */
export async function runTrial(context) {
  const {cell, host, broker, signal} = context;
  const startedAt = new Date().toISOString();
  const transport = transportNamed(cell.transport);
  const bound = AbortSignal.timeout(trialBoundMs(cell, context.values));
  const {clients = 1, servers = 0} = cell.variant;
  const roles = {
    servers: startAll(servers, () => host.start(transport.server, 'server')),
    clients: startAll(clients, () => host.start(transport.client, 'client')),
  };
  const all = [...roles.servers, ...roles.clients];
  try {
    const measured = measure(context, roles, AbortSignal.any([signal, bound]));
    const trial = await Promise.race([
      ...roles.servers.map(roleDeath),
      measured,
      ...(broker && transport.needsBroker ? [brokerDeath(broker)] : []),
    ]);
    return {outcome: 'completed', startedAt, ...trial};
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return {outcome: 'failed', startedAt, error: await explain(error, {bound, roles: all, broker})};
  } finally {
    await Promise.all(all.map((role) => role.stop()));
  }
}

/**
 * @template Started
 * @param {number} count
 * @param {() => Started} start
 * @returns {Started[]}
 */
function startAll(count, start) {
  return Array.from({length: count}, start);
}

/**
 * @typedef {import('../hosts/role-process.js').RoleProcess} RoleProcess
 * @typedef {{servers: RoleProcess[], clients: RoleProcess[]}} Roles
 */

/**
 * @param {TrialContext} context
 * @param {Roles} roles
 * @param {AbortSignal} signal
 */
async function measure(context, {servers, clients}, signal) {
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
  return {
    ...merged,
    usage: {client: clientUsage, server: serverUsage, broker: brokerUsage},
    brokerUnseen: usesBroker && brokerUsage === null,
    details: /** @type {Record<string, unknown>} */ (Object.assign({}, ...ready.map(({details}) => details))),
  };
}

/**
 * @param {TrialContext} context
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

/**
 * @typedef {{outcome: 'completed', startedAt: string} & Measured | {outcome: 'failed', startedAt: string, error: Failure}} TrialOutcome
 * @typedef {{code: string, message: string, exitCode: number}} Failure exitCode: 3 when a broker could not be had
 * @typedef {Awaited<ReturnType<typeof measure>>} Measured
 */

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
 * A client whose server died need not wait for its timeout.
 * @param {import('../hosts/role-process.js').RoleProcess} role
 * @returns {Promise<never>}
 */
async function roleDeath(role) {
  await role.exited;
  throw role.failure;
}

/** @param {import('../brokers/index.js').Broker} broker @returns {Promise<never>} */
async function brokerDeath(broker) {
  throw new RunError(deathOf(await broker.died), {code: 'PB_BROKER_DIED'});
}

/** The reason alone: the tail of its log behind it would fill the screen. @param {string} reason */
function deathOf(reason) {
  return `The broker died: ${reason.split('\n')[0].replace(/ The last lines of its log:$/, '')}`;
}

/**
 * @param {unknown} error
 * @param {{bound: AbortSignal, roles: RoleProcess[], broker: import('../brokers/index.js').Broker | null}} trial
 * @returns {Promise<Failure>}
 */
async function explain(error, {bound, roles, broker}) {
  if (bound.aborted || /** @type {Error} */ (error)?.name === 'TimeoutError') {
    return {
      code: 'PB_TRIAL_TIMEOUT',
      message: 'The trial did not finish in the time that its settings allow.',
      exitCode: 1,
    };
  }
  const {
    code = 'PB_UNEXPECTED',
    message,
    exitCode = 1,
  } = /** @type {import('../errors.js').PerfBattleError} */ (error);
  if (code === 'PB_ROLE_DIED') return {code, message, exitCode};
  const died = broker && (await Promise.race([broker.died, sleep(waitForRootCauseMs, null)]));
  if (died) return {code: 'PB_BROKER_DIED', message: deathOf(died), exitCode: 1};
  await Promise.race([Promise.all(roles.map(({exited}) => exited)), sleep(waitForRootCauseMs)]);
  const dead = roles.find((role) => /** @type {any} */ (role.failure)?.code === 'PB_ROLE_DIED');
  if (dead?.failure && dead.failure !== error) {
    return {code: 'PB_ROLE_DIED', message: `${dead.failure.message} ${message}`, exitCode: 1};
  }
  return {code, message, exitCode};
}

/**
 * Ample for any trial that goes well: start, warm-up, the measured part, waiting for stragglers.
 * @param {import('./plan.js').Cell} cell
 * @param {Record<string, any>} values
 */
function trialBoundMs({length: {durationMs, samples, warmUp}, variant}, {timeoutMs}) {
  const warmUpMs = warmUp.kind === 'duration' ? warmUp.durationMs : 5000;
  const requests = (samples ?? 0) + (warmUp.kind === 'count' ? warmUp.count : 0);
  const measuredMs = requests > 0 ? requests * 1000 : (durationMs ?? 0);
  const startMs = ((variant.clients ?? 1) + (variant.servers ?? 1)) * 400;
  return Math.min(2 ** 31 - 1, readyWithinMs * 2 + startMs + warmUpMs + measuredMs + timeoutMs * 6);
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
