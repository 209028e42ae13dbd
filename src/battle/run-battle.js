import {UnavailableError} from '../errors.js';
import {spreadOf} from '../results/over-trials.js';
import {transportNamed} from '../transports/index.js';
import {BrokerSupply} from './broker-supply.js';
import {orderOfRound} from './plan.js';
import {runTrial} from './trial.js';

/**
 * @import {Broker} from '../brokers/index.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {JournalTrial} from '../results/cell-figures.js'
 * @import {Journal} from '../results/journal.js'
 * @import {HostLoad} from './host-loads.js'
 * @import {Cell} from './plan.js'
 */

/** A trial from which the hypervisor took more than this share of the host's CPU is disturbed, and repeated once. */
const disturbedFrom = 0.02;
/** Repeats may add this share to the planned trials, so that a noisy host does not make a battle endless. */
const repeatShare = 0.1;
/** With --precision the rounds go on from the fewest, at most up to this many. */
export const roundsForPrecision = {fewest: 5, most: 30};

/**
 * A battle while it runs, or when it goes on after an interruption.
 *
 * @typedef {object} BattleState
 * @property {string} id
 * @property {readonly Cell[]} cells
 * @property {Map<number, CellProgress>} progress by cell number
 * @property {Record<string, any>} values settings
 *
 * @typedef {object} CellProgress
 * @property {(JournalTrial)[]} trials completed ones
 * @property {{code: string, message: string, exitCode: number} | null} error why the cell has failed
 */

/**
 * Runs the rounds. Every finished trial is in the journal before the next begins.
 *
 * @param {BattleState} state is added to
 * @param {{
 *   hosts: Hosts, journal: Journal,
 *   obtain: () => Promise<Broker>, onBroker: (broker: Broker) => Promise<void>,
 *   namesFor: (trial: string) => {exchange: string, queue: string}, tell: (event: BattleEvent) => void, signal: AbortSignal,
 * }} means
 * @throws when the signal aborts, or a finished trial cannot be stored
 */
export async function runBattle(state, means) {
  const brokers = new BrokerSupply(means);
  try {
    if (needsBrokerNow(state)) await brokers.current().catch(() => {});
    for (let round = 1; !enough(state, round); round += 1) await runRound(state, round, brokers, means);
  } finally {
    await brokers.release();
  }
}

/**
 * @typedef {{type: 'broker', label: string} | {type: 'broker-missing', message: string} |
 *   {type: 'trial', cell: Cell, round: number, repeat: boolean} |
 *   {type: 'trial-done', cell: Cell, round: number, figureMs: number, disturbed: boolean} |
 *   {type: 'cell-failed', cell: Cell, message: string}} BattleEvent
 */

/**
 * How many rounds a battle has at least.
 * @param {Record<string, any>} values settings
 * @returns {number}
 */
export function plannedRounds({precision, rounds}) {
  return precision === null ? rounds : roundsForPrecision.fewest;
}

/**
 * The broker starts before the first round, unless a battle goes on that has no more use for it.
 * @param {BattleState} state
 */
function needsBrokerNow({cells, progress, values}) {
  const rounds = plannedRounds(values);
  return cells.some(
    ({transport, number}) =>
      transportNamed(transport).needsBroker && progressOf(progress, number).trials.length < rounds,
  );
}

/**
 * Whether the rounds before this one are enough.
 * @param {BattleState} state
 * @param {number} round
 */
function enough({cells, progress, values}, round) {
  const alive = cells.filter(({number}) => !progressOf(progress, number).error);
  if (alive.length === 0) return true;
  if (values.precision === null) return round > values.rounds;
  if (round <= roundsForPrecision.fewest) return false;
  if (round > roundsForPrecision.most) return true;
  return alive.every(
    ({number}) => spreadOf(progressOf(progress, number).trials, values.seed) <= values.precision,
  );
}

/**
 * @param {BattleState} state
 * @param {number} round
 * @param {BrokerSupply} brokers
 * @param {Parameters<typeof runBattle>[1]} means
 */
async function runRound(state, round, brokers, means) {
  const disturbed = [];
  for (const cell of orderOfRound(state.cells, round, state.values.seed)) {
    const progress = progressOf(state.progress, cell.number);
    const done = progress.trials.some((trial) => trial.round === round);
    if (done || progress.error) continue;
    const trial = await runOne(state, {cell, round, repeat: false}, brokers, means);
    if (trial?.disturbed) disturbed.push(cell);
  }
  for (const cell of disturbed) {
    if (mayRepeat(state)) await runOne(state, {cell, round, repeat: true}, brokers, means);
  }
}

/** @param {BattleState} state */
function mayRepeat({cells, progress, values}) {
  const trials = cells.flatMap(({number}) => progressOf(progress, number).trials);
  const repeats = trials.filter(({repeat}) => repeat).length;
  return repeats < Math.max(1, cells.length * plannedRounds(values) * repeatShare);
}

/**
 * @param {BattleState} state
 * @param {{cell: Cell, round: number, repeat: boolean}} what
 * @param {BrokerSupply} brokers
 * @param {Parameters<typeof runBattle>[1]} means
 */
async function runOne(
  {id, progress, values},
  {cell, round, repeat},
  brokers,
  {hosts, journal, namesFor, tell, signal},
) {
  signal.throwIfAborted();
  tell({type: 'trial', cell, round, repeat});
  const outcome = await attempt(async () => {
    const broker = transportNamed(cell.transport).needsBroker ? await brokers.current() : null;
    const names = namesFor(`${cell.number}-${round}${repeat ? '-repeat' : ''}`);
    return runTrial({cell, hosts, broker, values, names, signal});
  }, signal);
  const place = {kind: 'trial', battleId: id, cell: cell.number, round, repeat};
  if (outcome.outcome === 'failed') {
    await journal.append({...place, ...outcome});
    if (repeat) return null;
    progressOf(progress, cell.number).error = outcome.error;
    tell({type: 'cell-failed', cell, message: outcome.error.message});
    return null;
  }
  const stealShare = stealShareOf(outcome.hostLoads);
  const trial = {...place, ...outcome, stealShare, disturbed: (stealShare ?? 0) > disturbedFrom};
  await journal.append(trial);
  progressOf(progress, cell.number).trials.push(trial);
  tell({type: 'trial-done', cell, round, figureMs: trial.figureMs, disturbed: trial.disturbed});
  return trial;
}

/**
 * A broker that cannot be had is the outcome of the trials that need one, not the end of the battle.
 * @param {() => ReturnType<typeof runTrial>} run
 * @param {AbortSignal} signal
 * @returns {ReturnType<typeof runTrial>}
 */
async function attempt(run, signal) {
  const startedAt = new Date().toISOString();
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UnavailableError)) throw error;
    const {code, message, exitCode} = error;
    return {outcome: 'failed', startedAt, error: {code, message, exitCode}};
  }
}

/**
 * Of the host that had the most of it.
 * @param {readonly HostLoad[]} loads
 */
function stealShareOf(loads) {
  return loads.length > 0 ? Math.max(...loads.map(({stealMs, capacityMs}) => stealMs / capacityMs)) : null;
}

/** @param {Map<number, CellProgress>} progress @param {number} number @returns {CellProgress} */
export function progressOf(progress, number) {
  const known = progress.get(number);
  if (known) return known;
  /** @type {CellProgress} */
  const fresh = {trials: [], error: null};
  progress.set(number, fresh);
  return fresh;
}
