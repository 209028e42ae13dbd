import {thresholds} from '../stats/thresholds.js';
import {CoreDistances} from './core-distances.js';
import {blocksOf, groupsOf, orderOfRound, stepsOf} from './groups.js';
import {attempt, measureInTurn} from './in-turn.js';
import {lacksRound, nextRound, withSplitTime} from './rounds.js';
import {progressOf} from './state.js';

/**
 * @import {Pace} from './estimate.js'
 * @import {Pair} from './in-turn.js'
 * @import {BattleEvent, BattleState, Cell, TrialEntry, TrialOutcome, TrialRequest} from './types.js'
 */

/**
 * @typedef {object} BattleDeps
 * @property {(request: TrialRequest) => Promise<Pair>} openPair the processes for a trial and those that follow it in its group; rejects with
 *   an UnavailableError when there is no broker for them
 * @property {{append(entry: TrialEntry): Promise<void>}} journal
 * @property {(event: BattleEvent) => void} onEvent
 * @property {AbortSignal} signal
 * @property {Pace} pace is added to
 * @property {{on: () => void, off: () => void, distance: () => Promise<number | null>}} [awake] keeps the cores awake, in between, and measures how far
 *   apart they are
 * @property {number} [pairsAtOnce] pairs of processes that fit the hosts side by side; default any number
 * @property {number} [warmUpsAtOnce] of trials that are measured in turn; default 1
 * @property {() => Date} [now]
 */

/**
 * Runs the rounds, each over its groups in a random order. Every finished trial is in the journal before the next begins.
 * @param {BattleState} state its progress is added to
 * @param {BattleDeps} deps
 * @throws when the signal aborts, or a finished trial cannot be stored
 */
export async function runBattle(state, deps) {
  const groups = groupsOf(state.cells, state.values);
  for (let round = 1; ; round += 1) {
    const timed = withSplitTime(groups, {
      round,
      trialsOf: ({number}) => progressOf(state, number).trials,
      pace: deps.pace,
    });
    const next = nextRound(state, round, timed, deps.pace);
    state.stoppedBy = next.stoppedBy;
    if (next.groups === null) return;
    await runRound(state, orderOfRound(next.groups, round, state.values.seed), round, deps);
  }
}

/**
 * @param {BattleState} state
 * @param {readonly Cell[][]} groups in their order
 * @param {number} round @param {BattleDeps} deps
 */
async function runRound(state, groups, round, deps) {
  const {onEvent, pace, pairsAtOnce = Number.POSITIVE_INFINITY} = deps;
  onEvent({type: 'round', round, groups});
  const lacking = groups.map((group) => ({
    group,
    cells: group.filter((cell) => lacksRound(state, [cell], round)),
  }));
  for (const block of blocksOf(lacking, {...state, pairsAtOnce})) {
    const startedAt = pace.now();
    await runBlock(
      state,
      block.map(({cells, isBeside}) => cells.map((cell) => ({cell, round, ...(isBeside && {isBeside})}))),
      deps,
    );
    const own = block.filter(({isBeside}) => !isBeside);
    if (own.some(({group, cells}) => cells.length < group.length)) continue;
    pace.addBlock(
      own.map(({group}) => group),
      pace.now() - startedAt,
    );
  }
}

/**
 * Runs the trials of some groups, each in one pair of processes, as long as it is usable; the others follow in a new one.
 * @param {BattleState} state
 * @param {readonly TrialRequest[][]} groups several are measured in turn, size by size
 * @param {BattleDeps} deps
 */
async function runBlock(state, groups, deps) {
  /** @type {Map<TrialRequest[], Pair>} */
  const pairs = new Map();
  const pairFor = async (/** @type {TrialRequest} */ request) => {
    const group = groups.find((one) => one.includes(request)) ?? [];
    const open = pairs.get(group);
    if (open?.isUsable) return open;
    await open?.close();
    const pair = await deps.openPair(request);
    pairs.set(group, pair);
    return pair;
  };
  deps.awake?.on();
  try {
    for (const requests of stepsOf(groups, ({cell}) => cell)) {
      if (groups.length === 1)
        for (const request of requests) await runTrial(state, request, {...deps, pairFor});
      else {
        const {seed} = state.values;
        const storeEach = (/** @type {TrialRequest} */ request, /** @type {TrialOutcome} */ outcome) =>
          store(state, request, outcome, deps);
        await measureInTurn(requests, {...deps, pairFor, seed, store: storeEach});
      }
    }
  } finally {
    deps.awake?.off();
    await Promise.all([...pairs.values()].map((pair) => pair.close()));
  }
}

/**
 * @param {BattleState} state @param {TrialRequest} request
 * @param {BattleDeps & {pairFor: (request: TrialRequest) => Promise<Pair>}} deps pairFor: a usable pair
 */
async function runTrial(state, request, deps) {
  deps.signal.throwIfAborted();
  deps.onEvent({type: 'trial', ...request});
  const distances = new CoreDistances(deps);
  const outcome = await attempt(async () => {
    const pair = await deps.pairFor(request);
    await distances.measure();
    return await pair.measure(request.cell);
  }, deps);
  await distances.measure();
  await store(state, request, distances.addTo(outcome), deps);
}

/**
 * Appends the trial to the journal. A failed trial ends its cell. A floor that was measured for the ratios of a block has its trial elsewhere.
 * @param {BattleState} state @param {TrialRequest} request @param {TrialOutcome} outcome
 * @param {BattleDeps} deps
 */
async function store(state, {cell, round, isBeside}, outcome, {journal, onEvent}) {
  if (isBeside) return;
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
