import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {readProcessTimes} from '../measure/process-times.js';
import {transportNamed} from '../transports/index.js';

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
 * The life of one trial: a fresh server and a fresh client, warm-up, the measured part, their end.
 *
 * @param {TrialContext} context
 * @returns {Promise<TrialOutcome>}
 * @throws {InterruptedError} when the signal aborts, after both processes are gone
 */
export async function runTrial(context) {
  const {cell, host, broker, signal} = context;
  const startedAt = new Date().toISOString();
  const transport = transportNamed(cell.transport);
  const bound = AbortSignal.timeout(trialBoundMs(context.values));
  const server = host.start(transport.server, 'server');
  const client = host.start(transport.client, 'client');
  try {
    const measured = measure(context, server, client, AbortSignal.any([signal, bound]));
    const trial = await Promise.race([
      roleDeath(server),
      measured,
      ...(broker && transport.needsBroker ? [brokerDeath(broker)] : []),
    ]);
    return {outcome: 'completed', startedAt, ...trial};
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return {outcome: 'failed', startedAt, error: await explain(error, {bound, server, client, broker})};
  } finally {
    await Promise.all([client.stop(), server.stop()]);
  }
}

/**
 * @param {TrialContext} context
 * @param {import('../hosts/role-process.js').RoleProcess} server
 * @param {import('../hosts/role-process.js').RoleProcess} client
 * @param {AbortSignal} signal
 */
async function measure({cell, host, broker, values, names}, server, client, signal) {
  const shared = {
    ...values,
    ...cell.variant,
    ...names,
    broker: broker?.connection ?? null,
    workload: cell.workload,
  };
  const ready = AbortSignal.any([signal, AbortSignal.timeout(readyWithinMs)]);
  const isReady = named('ready');
  server.send({type: 'configure', options: {...shared, listenAddress: host.listenAddress}});
  const serverReady = await server.waitFor(isReady, ready);
  const servers = [serverReady.address];
  client.send({type: 'configure', options: {...shared, payloadBytes: cell.payloadBytes, servers}});
  const clientReady = await client.waitFor(isReady, ready);

  client.send({type: 'start'});
  await client.waitFor(inPhase('measuring'), signal);
  const brokerBefore = readProcessTimes(broker?.pid ?? null);
  server.send({type: 'mark'});
  await client.waitFor(inPhase('measured'), signal);
  server.send({type: 'mark'});
  const brokerAfter = readProcessTimes(broker?.pid ?? null);
  const result = await client.waitFor(named('result'), signal);
  await server.waitFor(inPhase('mark'), signal);
  const serverMark = await server.waitFor(inPhase('mark'), signal);
  const usesBroker = transportNamed(cell.transport).needsBroker;
  const brokerUsage = usesBroker ? subtract(brokerAfter, brokerBefore) : null;
  return {
    .../** @type {import('../stats/histogram.js').EncodedHistogram} */ (result.encoded),
    counts: /** @type {import('../workloads/index.js').Counts} */ (result.counts),
    discarded: /** @type {number} */ (result.discarded),
    warm: /** @type {boolean} */ (result.warm),
    usage: {
      client: /** @type {import('../measure/usage.js').Usage} */ (result.usage),
      server: /** @type {import('../measure/usage.js').Usage} */ (serverMark.usage),
      broker: brokerUsage,
    },
    brokerUnseen: usesBroker && brokerUsage === null,
    served: /** @type {number} */ (serverMark.served),
    details: /** @type {Record<string, unknown>} */ ({...serverReady.details, ...clientReady.details}),
  };
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
 * @param {{bound: AbortSignal, server: import('../hosts/role-process.js').RoleProcess, client: import('../hosts/role-process.js').RoleProcess,
 *   broker: import('../brokers/index.js').Broker | null}} trial
 * @returns {Promise<Failure>}
 */
async function explain(error, {bound, server, client, broker}) {
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
  await Promise.race([Promise.all([server.exited, client.exited]), sleep(waitForRootCauseMs)]);
  const dead = [server, client].find((role) => /** @type {any} */ (role.failure)?.code === 'PB_ROLE_DIED');
  if (dead?.failure && dead.failure !== error) {
    return {code: 'PB_ROLE_DIED', message: `${dead.failure.message} ${message}`, exitCode: 1};
  }
  return {code, message, exitCode};
}

/** Ample for any trial that goes well: start, warm-up, the measured part, waiting for stragglers. @param {Record<string, any>} values */
function trialBoundMs({durationMs, samples, timeoutMs, warmUp}) {
  const warmUpMs = warmUp.kind === 'duration' ? warmUp.durationMs : 5000;
  const requests = (samples ?? 0) + (warmUp.kind === 'count' ? warmUp.count : 0);
  const measuredMs = requests > 0 ? requests * 1000 : durationMs;
  return Math.min(2 ** 31 - 1, readyWithinMs * 2 + warmUpMs + measuredMs + timeoutMs * 6);
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
