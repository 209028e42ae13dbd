import {setTimeout as sleep} from 'node:timers/promises';
import {failureOf, RunError} from '../errors.js';
import {measureTrial} from './measure-trial.js';
import {anyOf} from './roles.js';
import {roundRobin} from './round-robin.js';
import {trialBoundMs} from './trial-bound.js';

/**
 * @import {Broker} from '../brokers/kind.js'
 * @import {Failure} from '../errors.js'
 * @import {Host} from '../hosts/host.js'
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {RoleName} from '../protocol.js'
 * @import {MeasuredTrial} from '../results/trial.js'
 * @import {Cell} from './cell.js'
 * @import {Roles, TrialContext} from './roles.js'
 */

/**
 * Runs one trial: starts new servers and clients, warms up, measures, stops them.
 *
 * @param {TrialContext} context
 * @param {{rootCauseMs?: number}} [bounds] how long to wait, when a role fails, for the end of another one that
 *   explains the failure
 * @returns {Promise<TrialOutcome>}
 * @throws {InterruptedError} when the signal aborts, after all processes have ended
 */
export async function runTrial(context, {rootCauseMs = 250} = {}) {
  const {cell, hosts, broker, signal} = context;
  const startedAt = new Date().toISOString();
  const bound = AbortSignal.timeout(trialBoundMs(cell, context.values));
  const {clients = 1, servers = 0} = cell.variant;
  /** @type {Roles} */
  const roles = {servers: [], clients: []};
  try {
    await startAll(roles.servers, servers, hosts.servers, (host) =>
      host.start(scriptOf(cell, 'server'), 'server'),
    );
    await startAll(roles.clients, clients, hosts.clients, (host) =>
      host.start(scriptOf(cell, 'client'), 'client'),
    );
    const measured = measureTrial(context, roles, anyOf(signal, bound));
    const trial = await Promise.race([
      ...roles.servers.map(roleDeath),
      measured,
      ...(broker ? [brokerDeath(broker)] : []),
    ]);
    return {outcome: 'completed', startedAt, ...trial};
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return {
      outcome: 'failed',
      startedAt,
      error: await explain(error, {bound, roles: allOf(roles), broker, rootCauseMs}),
    };
  } finally {
    await Promise.all(allOf(roles).map((role) => role.stop()));
  }
}

/**
 * The script of a role is named after the transport.
 * @param {Cell} cell
 * @param {RoleName} role
 */
function scriptOf({transport}, role) {
  return new URL(`../${transport}-${role}.js`, import.meta.url);
}

/**
 * Starts roles on their hosts, round-robin.
 * @param {RoleProcess[]} started is added to, so that the caller can stop those that have started when a later one fails
 * @param {number} count
 * @param {readonly Host[]} hosts
 * @param {(host: Host) => Promise<RoleProcess>} start
 */
async function startAll(started, count, hosts, start) {
  for (let index = 0; index < count; index += 1) started.push(await start(roundRobin(hosts, index)));
}

/** @param {Roles} roles */
function allOf({servers, clients}) {
  return [...servers, ...clients];
}

/**
 * @typedef {{outcome: 'completed', startedAt: string} & MeasuredTrial | {outcome: 'failed', startedAt: string, error: Failure}} TrialOutcome
 */

/**
 * Rejects when a server dies, so that its clients need not wait for their timeout.
 * @param {RoleProcess} role
 * @returns {Promise<never>}
 */
async function roleDeath(role) {
  await role.exited;
  throw role.failure;
}

/** @param {Broker} broker @returns {Promise<never>} */
async function brokerDeath(broker) {
  throw new RunError(deathOf(await broker.died), {code: 'PB_BROKER_DIED'});
}

/** The first line of the reason: the end of the broker's log follows it. @param {string} reason */
function deathOf(reason) {
  return `The broker died: ${reason.split('\n')[0].replace(/ The last lines of its log:$/, '')}`;
}

/**
 * @param {unknown} error
 * @param {{bound: AbortSignal, roles: RoleProcess[], broker: Broker | null, rootCauseMs: number}} trial
 * @returns {Promise<Failure>}
 */
async function explain(error, {bound, roles, broker, rootCauseMs}) {
  if (bound.aborted || /** @type {Error} */ (error)?.name === 'TimeoutError') {
    return {
      code: 'PB_TRIAL_TIMEOUT',
      message: 'The trial did not finish in the time that its settings allow.',
      exitCode: 1,
    };
  }
  const failure = failureOf(error);
  if (failure.code === 'PB_ROLE_DIED') return failure;
  const died = broker && (await Promise.race([broker.died, sleep(rootCauseMs, null)]));
  if (died) return {code: 'PB_BROKER_DIED', message: deathOf(died), exitCode: 1};
  await Promise.race([Promise.all(roles.map(({exited}) => exited)), sleep(rootCauseMs)]);
  const deaths = roles.flatMap((role) => (role.failure ? failureOf(role.failure) : []));
  const death = deaths.find(({code}) => code === 'PB_ROLE_DIED');
  return death ? {...death, message: `${death.message} ${failure.message}`} : failure;
}
