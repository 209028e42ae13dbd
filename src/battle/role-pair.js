import {setTimeout as sleep} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {failureOf, RunError} from '../errors.js';
import {describePlacement} from '../hosts/placement.js';
import {roundRobin} from '../hosts/round-robin.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {lateTrial} from './answers.js';
import {measureTrial} from './measure-trial.js';
import {allOf} from './roles.js';
import {trialBoundMs} from './trial-bound.js';

/**
 * @import {Broker} from '../brokers/kind.js'
 * @import {Failure} from '../errors.js'
 * @import {Host} from '../hosts/host.js'
 * @import {PlacedRoles} from '../hosts/placement.js'
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {RoleName} from '../protocol.js'
 * @import {MeasuredTrial, PlacementRecord} from '../results/trial.js'
 * @import {Cell} from './cell.js'
 * @import {PairContext, Roles} from './roles.js'
 */

/**
 * The processes of one variant, as many servers and clients as it has. They measure its cells, one after the other.
 */
export class RolePair {
  /** @type {Roles} */
  #roles = {servers: [], clients: []};
  /** Where they run; null before they have started. @type {PlacedRoles | null} */
  #placed = null;

  /**
   * @param {PairContext} context
   * @param {{rootCauseMs?: number, trialMs?: number}} [bounds] rootCauseMs: how long to wait, when a role fails, for the end of another one
   *   that explains the failure; trialMs: of a trial, where its settings allow more
   */
  constructor(context, {rootCauseMs = 250, trialMs = Number.POSITIVE_INFINITY} = {}) {
    this.context = context;
    this.rootCauseMs = rootCauseMs;
    this.trialMs = trialMs;
    /** Whether it may measure another cell. After a failure or a lost message, what was on its way could disturb it. */
    this.isUsable = true;
  }

  /**
   * Runs one trial: warms up and measures. The first trial starts the processes.
   * @param {Cell} cell of the same variant as all others
   * @returns {Promise<TrialOutcome>} failed: all processes have ended
   * @throws {InterruptedError} when the signal aborts; the caller then closes the pair
   */
  async measure(cell) {
    const {broker, hosts, signal, values} = this.context;
    const startedAt = new Date().toISOString();
    const boundMs = Math.min(trialBoundMs(cell, values), this.trialMs);
    try {
      const placed = this.#placed ?? (await this.#start(cell));
      const trial = await within(boundMs, signal, (bounded) =>
        Promise.race([
          ...this.#roles.servers.map(roleDeath),
          // What it asks of a host or a broker may hang.
          untilAborted(measureTrial({...this.context, cell}, this.#roles, bounded), bounded),
          ...(broker ? [brokerDeath(broker)] : []),
        ]),
      );
      this.isUsable = isClean(trial);
      const placement = describePlacement(placed, broker?.hosts ?? [], hosts.placement);
      return {outcome: 'completed', startedAt, placement, ...trial};
    } catch (error) {
      this.isUsable = false;
      if (signal.aborted) throw signal.reason;
      const roles = allOf(this.#roles);
      const late = error instanceof TimeLimitError ? lateTrial(roles, boundMs) : error;
      const failure = await explain(late, {roles, broker, rootCauseMs: this.rootCauseMs});
      await this.close();
      return {outcome: 'failed', startedAt, error: failure};
    }
  }

  /** Ends all processes. */
  async close() {
    this.isUsable = false;
    await Promise.all(allOf(this.#roles).map((role) => role.stop()));
  }

  /** @param {Cell} cell */
  async #start(cell) {
    const {hosts} = this.context;
    const {clients = 1, servers = 0, keepMemory} = cell.variant;
    const [serverProgram, clientProgram] = [programOf(cell, 'server'), programOf(cell, 'client')];
    this.#placed = hosts.placement.placeRoles({clients, servers});
    await startAll(this.#roles.servers, this.#placed.servers, hosts.servers, (host, cores) =>
      host.start(serverProgram.script, 'server', {cores, keepMemory, node: serverProgram.node}),
    );
    await startAll(this.#roles.clients, this.#placed.clients, hosts.clients, (host, cores) =>
      host.start(clientProgram.script, 'client', {cores, keepMemory, node: clientProgram.node}),
    );
    return this.#placed;
  }
}

/**
 * Whether nothing of a trial can still be on its way.
 * @param {Pick<MeasuredTrial, 'counts'>} trial
 */
function isClean({counts: {lost, timedOut, duplicated, corrupted}}) {
  return lost === 0 && timedOut === 0 && duplicated === 0 && corrupted === 0;
}

/**
 * The script of a role is named after the transport. A side of a comparison may have the scripts of another folder, and another Node.js, for
 * both roles or for one.
 * @param {Cell} cell
 * @param {RoleName} role
 */
function programOf({transport, variant: {node, folder, only}}, role) {
  const hasOwn = only === undefined || only === role;
  const source =
    hasOwn && folder !== undefined ? pathToFileURL(`${folder}/src/`) : new URL('../', import.meta.url);
  return {script: new URL(`${transport}-${role}.js`, source), node: (hasOwn && node) || null};
}

/**
 * Starts roles on their hosts, round-robin.
 * @param {RoleProcess[]} started is added to, so that the caller can stop those that have started when a later one fails
 * @param {PlacedRoles['clients']} places the cores of each
 * @param {readonly Host[]} hosts
 * @param {(host: Host, cores: number[] | null) => Promise<RoleProcess>} start
 */
async function startAll(started, places, hosts, start) {
  for (const [index, cores] of places.entries()) started.push(await start(roundRobin(hosts, index), cores));
}

/**
 * @typedef {{outcome: 'completed', startedAt: string, placement: PlacementRecord | null} & MeasuredTrial | {outcome: 'failed', startedAt: string, error: Failure}} TrialOutcome
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
 * @param {{roles: RoleProcess[], broker: Broker | null, rootCauseMs: number}} trial
 * @returns {Promise<Failure>}
 */
async function explain(error, {roles, broker, rootCauseMs}) {
  const failure = failureOf(error);
  if (failure.code === 'PB_ROLE_DIED') return failure;
  const died = broker && (await Promise.race([broker.died, sleep(rootCauseMs, null)]));
  if (died) return {code: 'PB_BROKER_DIED', message: deathOf(died), exitCode: 1};
  await Promise.race([Promise.all(roles.map(({exited}) => exited)), sleep(rootCauseMs)]);
  const deaths = roles.flatMap((role) => (role.failure ? failureOf(role.failure) : []));
  const death = deaths.find(({code}) => code === 'PB_ROLE_DIED');
  return death ? {...death, message: `${death.message} ${failure.message}`} : failure;
}
