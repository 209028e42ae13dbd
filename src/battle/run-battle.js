import {failureOf, UnavailableError} from '../errors.js';
import {thresholds} from '../stats/thresholds.js';
import {orderOfRound} from './plan.js';
import {mayRepeat, needsRound} from './rounds.js';
import {progressOf} from './state.js';

/**
 * @import {Cell} from './cell.js'
 * @import {BattleState} from './state.js'
 * @import {TrialOutcome} from './run-trial.js'
 */

/**
 * @typedef {{cell: Cell, round: number, repeat: boolean}} TrialRequest
 *
 * @typedef {{type: 'broker', label: string} | {type: 'broker-missing', message: string} |
 *   {type: 'trial', cell: Cell, round: number, repeat: boolean} |
 *   {type: 'trial-done', cell: Cell, round: number, figureMs: number, disturbed: boolean} |
 *   {type: 'cell-failed', cell: Cell, message: string}} BattleEvent
 *
 * @typedef {object} BattleDeps
 * @property {(request: TrialRequest) => Promise<TrialOutcome>} runTrial rejects with an UnavailableError when there is no broker for it
 * @property {{append(entry: Record<string, unknown>): Promise<void>}} journal
 * @property {(event: BattleEvent) => void} onEvent
 * @property {AbortSignal} signal
 * @property {() => Date} [now]
 */

/**
 * Runs the rounds, each over all cells in a random order. Every finished trial is in the journal before the next begins.
 *
 * @param {BattleState} state its progress is added to
 * @param {BattleDeps} deps
 * @throws when the signal aborts, or a finished trial cannot be stored
 */
export async function runBattle(state, deps) {
  for (let round = 1; needsRound(state, round); round += 1) await runRound(state, round, deps);
}

/**
 * @param {BattleState} state
 * @param {number} round
 * @param {BattleDeps} deps
 */
async function runRound(state, round, deps) {
  const disturbed = [];
  for (const cell of orderOfRound(state.cells, round, state.values.seed)) {
    const {trials, error} = progressOf(state, cell.number);
    if (error || trials.some((trial) => trial.round === round)) continue;
    if (await addTrial(state, {cell, round, repeat: false}, deps)) disturbed.push(cell);
  }
  for (const cell of disturbed) {
    if (mayRepeat(state)) await addTrial(state, {cell, round, repeat: true}, deps);
  }
}

/**
 * Runs one trial and stores it. One that fails ends its cell; a repeat that fails changes nothing.
 * @param {BattleState} state
 * @param {TrialRequest} request
 * @param {BattleDeps} deps
 * @returns {Promise<boolean>} whether it completed and was disturbed
 */
async function addTrial(state, request, deps) {
  const {journal, onEvent, signal} = deps;
  const {cell, round, repeat} = request;
  signal.throwIfAborted();
  onEvent({type: 'trial', ...request});
  const outcome = await attempt(request, deps);
  const identity = {kind: 'trial', battleId: state.id, cell: cell.number, round, repeat};
  if (outcome.outcome === 'failed') {
    await journal.append({...identity, ...outcome});
    if (repeat) return false;
    progressOf(state, cell.number).error = outcome.error;
    onEvent({type: 'cell-failed', cell, message: outcome.error.message});
    return false;
  }
  const disturbed = (outcome.lostShare ?? 0) > thresholds.lostShare;
  const trial = {...identity, ...outcome, disturbed};
  await journal.append(trial);
  progressOf(state, cell.number).trials.push(trial);
  onEvent({type: 'trial-done', cell, round, figureMs: trial.figureMs, disturbed});
  return disturbed;
}

/**
 * Without a broker the trials that need one fail; the battle goes on.
 * @param {TrialRequest} request
 * @param {BattleDeps} deps
 * @returns {Promise<TrialOutcome>}
 */
async function attempt(request, {runTrial, signal, now = () => new Date()}) {
  const startedAt = now().toISOString();
  try {
    return await runTrial(request);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UnavailableError)) throw error;
    return {outcome: 'failed', startedAt, error: failureOf(error)};
  }
}
