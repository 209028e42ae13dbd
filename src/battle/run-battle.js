import {failureOf, UnavailableError} from '../errors.js';
import {thresholds} from '../stats/thresholds.js';
import {groupsOf} from './groups.js';
import {orderOfRound} from './order.js';
import {lacksRound, nextRound} from './rounds.js';
import {progressOf} from './state.js';

/**
 * @import {Cell} from './cell.js'
 * @import {TrialEntry} from './journal-entries.js'
 * @import {Pace} from './pace.js'
 * @import {RolePair, TrialOutcome} from './role-pair.js'
 * @import {BattleState} from './state.js'
 */

/**
 * @typedef {{cell: Cell, round: number}} TrialRequest
 *
 * @typedef {{type: 'broker', label: string} | {type: 'broker-missing', message: string} |
 *   {type: 'round', round: number, groups: readonly Cell[][]} | {type: 'trial', cell: Cell, round: number} |
 *   {type: 'trial-done', cell: Cell, round: number, figureMs: number, disturbed: boolean} |
 *   {type: 'cell-failed', cell: Cell, message: string}} BattleEvent
 *
 * @typedef {object} BattleDeps
 * @property {(request: TrialRequest) => Promise<Pair>} openPair the processes for a trial and those that follow it in its group; rejects with
 *   an UnavailableError when there is no broker for them
 * @property {{append(entry: TrialEntry): Promise<void>}} journal
 * @property {(event: BattleEvent) => void} onEvent
 * @property {AbortSignal} signal
 * @property {Pace} pace is added to
 * @property {() => Date} [now]
 *
 * @typedef {Pick<RolePair, 'measure' | 'isUsable' | 'close'>} Pair
 */

/**
 * Runs the rounds, each over its groups in a random order. Every finished trial is in the journal before the next begins.
 *
 * @param {BattleState} state its progress is added to
 * @param {BattleDeps} deps
 * @throws when the signal aborts, or a finished trial cannot be stored
 */
export async function runBattle(state, deps) {
  const groups = groupsOf(state.cells, state.values);
  for (let round = 1; ; round += 1) {
    const next = nextRound(state, round, groups, deps.pace);
    state.stoppedBy = next.stoppedBy;
    if (next.groups === null) return;
    await runRound(state, orderOfRound(next.groups, round, state.values.seed), round, deps);
  }
}

/**
 * @param {BattleState} state
 * @param {readonly Cell[][]} groups in their order
 * @param {number} round
 * @param {BattleDeps} deps
 */
async function runRound(state, groups, round, deps) {
  const {onEvent, pace} = deps;
  onEvent({type: 'round', round, groups});
  for (const group of groups) {
    const cells = group.filter((cell) => lacksRound(state, [cell], round));
    const startedAt = pace.now();
    await runGroup(
      state,
      cells.map((cell) => ({cell, round})),
      deps,
    );
    if (cells.length === group.length) pace.add(group, pace.now() - startedAt);
  }
}

/**
 * Runs trials in one pair of processes, as long as it is usable; the others follow in a new one.
 * @param {BattleState} state
 * @param {readonly TrialRequest[]} requests
 * @param {BattleDeps} deps
 */
async function runGroup(state, requests, deps) {
  /** @type {Pair | null} */
  let pair = null;
  const measure = async (/** @type {TrialRequest} */ request) => {
    if (pair && !pair.isUsable) {
      await pair.close();
      pair = null;
    }
    pair ??= await deps.openPair(request);
    return await pair.measure(request.cell);
  };
  try {
    for (const request of requests) await addTrial(state, request, measure, deps);
  } finally {
    await /** @type {Pair | null} */ (pair)?.close();
  }
}

/** @typedef {(request: TrialRequest) => Promise<TrialOutcome>} Measure */

/**
 * Runs one trial and stores it. One that fails ends its cell.
 * @param {BattleState} state
 * @param {TrialRequest} request
 * @param {Measure} measure
 * @param {BattleDeps} deps
 */
async function addTrial(state, request, measure, deps) {
  const {journal, onEvent, signal} = deps;
  const {cell, round} = request;
  signal.throwIfAborted();
  onEvent({type: 'trial', ...request});
  const outcome = await attempt(request, measure, deps);
  const identity = {kind: /** @type {const} */ ('trial'), battleId: state.id, cell: cell.number, round};
  if (outcome.outcome === 'failed') {
    await journal.append({...identity, ...outcome});
    progressOf(state, cell.number).error = outcome.error;
    onEvent({type: 'cell-failed', cell, message: outcome.error.message});
    return;
  }
  const disturbed = isDisturbed(outcome);
  const trial = {...identity, ...outcome, disturbed};
  await journal.append(trial);
  progressOf(state, cell.number).trials.push(trial);
  onEvent({type: 'trial-done', cell, round, figureMs: trial.figureMs, disturbed});
}

/**
 * Whether other processes or the hypervisor may have changed what a trial measured. Roles that are not pinned may share a core when others use
 * the rest, and wait for no core then.
 * @param {{lostShare?: number | null, foreignShare?: number | null, placement: object | null}} trial
 */
function isDisturbed({lostShare, foreignShare, placement}) {
  if ((lostShare ?? 0) > thresholds.lostShare) return true;
  return placement === null && (foreignShare ?? 0) > thresholds.trialForeignShare;
}

/**
 * Without a broker the trials that need one fail; the battle goes on.
 * @param {TrialRequest} request
 * @param {Measure} measure
 * @param {BattleDeps} deps
 * @returns {Promise<TrialOutcome>}
 */
async function attempt(request, measure, {signal, now = () => new Date()}) {
  const startedAt = now().toISOString();
  try {
    return await measure(request);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UnavailableError)) throw error;
    return {outcome: 'failed', startedAt, error: failureOf(error)};
  }
}
