import {setImmediate as nextTurn, setTimeout as sleep} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {failureOf, firstLineOf, RunError} from '../errors.js';
import {roundRobin} from '../hosts/host.js';
import {describePlacement} from '../hosts/placement.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {ownRuntime, runtimeOf} from '../packages/runtimes.js';
import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {maxScheduleMs} from '../workloads/schedule.js';
import {readyWithinMs} from './configure-roles.js';
import {measureTrial} from './measure-trial.js';
import {allOf, lateTrial, roleProgramIn} from './roles.js';
import {SlicedTrial} from './sliced-trial.js';

/**
 * @import {Broker} from '../brokers/kind.js'
 * @import {Failure} from '../errors.js'
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {Host, PlacedRoles} from '../hosts/types.js'
 * @import {RoleName, Slice} from '../messages.js'
 * @import {MeasuredTrial} from '../results/types.js'
 * @import {Cell, PairContext, Roles, Sharing, TrialOutcome} from './types.js'
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
    const startedAt = new Date().toISOString();
    const context = {...this.context, cell};
    const found = await this.#attempt(cell, (signal) => measureTrial(context, this.#roles, signal));
    return this.#outcome(startedAt, found);
  }

  /**
   * Warms up for a trial that is measured in slices, in turn with others. The first trial starts the processes.
   * @param {Cell} cell @returns {SlicedRun}
   */
  begin(cell) {
    const startedAt = new Date().toISOString();
    const trial = new SlicedTrial({...this.context, cell}, this.#roles);
    /** @type {TrialOutcome | null} */
    let failed = null;
    const step = async (/** @type {(signal: AbortSignal) => Promise<void>} */ work) => {
      if (failed) return;
      const found = await this.#attempt(cell, work);
      if (found?.outcome === 'failed') failed = {...found, startedAt};
    };
    return {
      prepare: () => step((signal) => trial.prepare(signal)),
      begin: () => step((signal) => trial.begin(signal)),
      measure: (slice) => step((signal) => trial.measure(slice, signal)),
      end: () => step((signal) => trial.end(signal)),
      get failed() {
        return failed;
      },
      get typicalMs() {
        return trial.typicalMs;
      },
      get used() {
        return trial.used;
      },
      get isClean() {
        return trial.results.every(isClean);
      },
      finish: async (sharing) =>
        this.#outcome(startedAt, await this.#attempt(cell, async () => trial.found(sharing))),
    };
  }

  /**
   * Does something for a trial, as long as its processes and its broker live.
   * @template Found
   * @param {Cell} cell @param {(signal: AbortSignal) => Promise<Found>} work
   * @returns {Promise<Found | Failed>} failed: all processes have ended
   */
  async #attempt(cell, work) {
    const {broker, signal, values} = this.context;
    const boundMs = Math.min(trialBoundMs(cell, values), this.trialMs);
    try {
      await this.#start(cell);
      return await within(boundMs, signal, (bounded) =>
        Promise.race([
          ...this.#roles.servers.map(roleDeath),
          // What it asks of a host or a broker may hang.
          untilAborted(work(bounded), bounded),
          ...(broker ? [brokerDeath(broker)] : []),
        ]),
      );
    } catch (error) {
      this.isUsable = false;
      if (signal.aborted) throw signal.reason;
      const roles = allOf(this.#roles);
      const late = error instanceof TimeLimitError ? lateTrial(roles, boundMs) : error;
      const failure = await explain(late, {roles, broker, rootCauseMs: this.rootCauseMs});
      await this.close();
      return {outcome: 'failed', error: failure};
    }
  }

  /** @param {string} startedAt @param {MeasuredTrial | Failed} found @returns {TrialOutcome} */
  #outcome(startedAt, found) {
    if ('outcome' in found) return {...found, startedAt};
    const {broker, hosts, awake} = this.context;
    this.isUsable = isClean(found);
    const placed = /** @type {PlacedRoles} */ (this.#placed);
    const placement = describePlacement(placed, broker?.hosts ?? [], hosts.placement);
    const coreState = awake?.state ?? 'sleeping';
    return {outcome: 'completed', startedAt, placement, coreState, ...found};
  }

  /** Ends all processes. */
  async close() {
    this.isUsable = false;
    await Promise.all(allOf(this.#roles).map((role) => role.stop()));
  }

  /** @param {Cell} cell */
  async #start(cell) {
    if (this.#placed) return;
    const {hosts} = this.context;
    const {clients = 1, servers = 0, keepMemory} = cell.variant;
    const [serverProgram, clientProgram] = /** @type {const} */ (['server', 'client']).map((role) =>
      programOf(cell, role, this.context.runtimes),
    );
    this.#placed = hosts.placement.placeRoles({clients, servers});
    await startAll(this.#roles.servers, this.#placed.servers, hosts.servers, (host, cores) =>
      host.start(serverProgram.script, 'server', {cores, keepMemory, ...serverProgram.how}),
    );
    await startAll(this.#roles.clients, this.#placed.clients, hosts.clients, (host, cores) =>
      host.start(clientProgram.script, 'client', {cores, keepMemory, ...clientProgram.how}),
    );
  }
}

/** Whether nothing of a trial can still be on its way. @param {Pick<MeasuredTrial, 'counts'>} trial */
function isClean({counts: {lost, timedOut, duplicated, corrupted}}) {
  return lost === 0 && timedOut === 0 && duplicated === 0 && corrupted === 0;
}

/**
 * A side of a comparison may have the code of another folder, and another Node.js, for both roles or for one.
 * @param {Cell} cell @param {RoleName} role @param {PairContext['runtimes']} runtimes
 */
function programOf({transport, variant: {node, folder, only, runtime}}, role, runtimes) {
  const hasOwn = only === undefined || only === role;
  const source =
    hasOwn && folder !== undefined ? pathToFileURL(`${folder}/src/`) : new URL('../', import.meta.url);
  const {script, words} = roleProgramIn(source, transportNamed(transport), role);
  if (hasOwn && node !== undefined)
    return {script, how: {words, runtime: /** @type {const} */ ({name: 'node', file: node})}};
  return {script, how: {words, runtime: runtimes?.get(runtimeOf(runtime ?? ownRuntime, role)) ?? null}};
}

/**
 * Starts roles on their hosts, round-robin.
 * @param {RoleProcess[]} started is added to, so that the caller can stop those that have started when a later one fails
 * @param {PlacedRoles['clients']} places of each
 * @param {readonly Host[]} hosts @param {(host: Host, cores: number[] | null) => Promise<RoleProcess>} start
 */
async function startAll(started, places, hosts, start) {
  for (const [index, place] of places.entries()) {
    const isMain = place?.threads === 'main';
    const role = await start(roundRobin(hosts, index), place === null || isMain ? null : place.cores);
    if (isMain) role.mainCores = place.cores;
    started.push(role);
  }
}

/**
 * A trial in slices. Each step does nothing once an earlier one has failed; they reject when the signal of the pair aborts.
 * @typedef {object} SlicedRun
 * @property {() => Promise<void>} prepare
 * @property {() => Promise<void>} begin
 * @property {(slice: Slice) => Promise<void>} measure
 * @property {() => Promise<void>} end
 * @property {TrialOutcome | null} failed null: not so far
 * @property {number | null} typicalMs after `prepare`: the median of the round trips of the warm-up; null where it is not known
 * @property {SlicedTrial['used']} used after `end`
 * @property {boolean} isClean after `end`: whether nothing was lost, late or wrong
 * @property {(sharing: Sharing) => Promise<TrialOutcome>} finish after `end`
 *
 * @typedef {{outcome: 'failed', error: Failure}} Failed
 */

/**
 * Rejects when a server dies, so that its clients need not wait for their timeout.
 * @param {RoleProcess} role @returns {Promise<never>}
 */
async function roleDeath(role) {
  await role.exited;
  throw role.failure;
}

/**
 * After a stall of this process, timers fire before it reads what has arrived meanwhile, such as the report of a death. So it reads once more.
 * @param {number} ms @returns {Promise<null>}
 */
async function patience(ms) {
  await sleep(ms);
  await nextTurn();
  return null;
}

/** @param {Broker} broker @returns {Promise<never>} */
async function brokerDeath(broker) {
  throw new RunError(deathOf(await broker.died), {code: 'PB_BROKER_DIED'});
}

/** @param {string} reason the end of the broker's log may be below it */
function deathOf(reason) {
  return `The broker died: ${firstLineOf(reason)}`;
}

/**
 * @param {unknown} error @param {{roles: RoleProcess[], broker: Broker | null, rootCauseMs: number}} trial
 * @returns {Promise<Failure>}
 */
async function explain(error, {roles, broker, rootCauseMs}) {
  const failure = failureOf(error);
  if (failure.code === 'PB_ROLE_DIED') return failure;
  const died = broker && (await Promise.race([broker.died, patience(rootCauseMs)]));
  if (died) return {code: 'PB_BROKER_DIED', message: deathOf(died), exitCode: 1};
  await Promise.race([Promise.all(roles.map(({exited}) => exited)), patience(rootCauseMs)]);
  const deaths = roles.flatMap((role) => (role.failure ? failureOf(role.failure) : []));
  const death = deaths.find(({code}) => code === 'PB_ROLE_DIED');
  return death ? {...death, message: `${death.message} ${failure.message}`} : failure;
}

/** A search has no fixed number of steps, and a queue without --samples no fixed number of messages. A watchdog notices a lack of progress. */
const openEndedMs = 3_600_000;
/** Start of one more process. */
const startMs = 400;
const longestWarmUpMs = 5000;
/** A generous bound for a request that is answered. */
const requestMs = 1000;
/** How many timeouts a client and its receiver may wait for, one after the other. Flushing the buffers may take twelve of them. */
const timeouts = 20;
/** The longest delay of a Node.js timer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * A generous bound for a trial: start, warm-up, measured part, waiting for late replies.
 * @param {Pick<Cell, 'length' | 'variant' | 'workload'>} cell @param {{timeoutMs: number}} values
 * @returns {number} whole ms
 */
export function trialBoundMs({length: {durationMs, samples, warmUp}, variant, workload}, {timeoutMs}) {
  const {clients = 1, servers = 1} = variant;
  const warmUpMs =
    warmUp.kind === 'duration'
      ? warmUp.durationMs
      : longestWarmUpMs + (warmUp.kind === 'count' ? warmUp.count * requestMs : 0);
  const ofLengthMs = samples === null ? (durationMs ?? 0) : samplesMs(samples, {variant, workload});
  const measuredMs = workloads[workload].isOpenEnded ? openEndedMs : ofLengthMs;
  const rolesMs = (clients + servers) * startMs;
  return Math.min(
    maxTimerMs,
    Math.ceil(readyWithinMs * 2 + rolesMs + warmUpMs + measuredMs + timeoutMs * timeouts),
  );
}

/** @param {number} samples of each client @param {Pick<Cell, 'variant' | 'workload'>} cell */
function samplesMs(samples, {variant, workload}) {
  const rate = workloads[workload].offeredRate?.(variant) ?? null;
  const requestsMs = samples * requestMs;
  return rate === null ? requestsMs : Math.max(requestsMs, maxScheduleMs(samples, {...variant, rate}));
}
