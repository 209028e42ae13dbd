import {shuffle} from 'simple-statistics';
import {failureOf, UnavailableError} from '../errors.js';
import {holdHeartbeats, releaseHeartbeats} from '../hosts/local.js';
import {randomSource} from '../payload/random.js';
import {thresholds} from '../stats/thresholds.js';
import {floorOf} from '../verdict/compare-cells.js';
import {CoreDistances} from './core-distances.js';
import {blocksOf, groupsOf, orderOfRound, stepsOf} from './groups.js';
import {sharingOf} from './host-loads.js';
import {lacksRound, nextRound, withSplitTime} from './rounds.js';
import {slicesOf} from './slices.js';
import {progressOf} from './state.js';

/**
 * @import {Slice} from '../messages.js'
 * @import {Pace} from './estimate.js'
 * @import {RolePair, SlicedRun} from './role-pair.js'
 * @import {BattleEvent, BattleState, Cell, Slices, TrialEntry, TrialOutcome, TrialRequest} from './types.js'
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
 *
 * @typedef {Pick<RolePair, 'measure' | 'begin' | 'isUsable' | 'close'>} Pair
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
      if (groups.length > 1) await runInTurn(state, requests, {...deps, pairFor});
      else for (const request of requests) await runTrial(state, request, {...deps, pairFor});
    }
  } finally {
    deps.awake?.off();
    await Promise.all([...pairs.values()].map((pair) => pair.close()));
  }
}

/** @typedef {BattleDeps & {pairFor: (request: TrialRequest) => Promise<Pair>}} BlockDeps pairFor: a usable one */

/** @param {BattleState} state @param {TrialRequest} request @param {BlockDeps} deps */
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

/** If a hypervisor moves the cores after this share of the slices, the slices before the move are the trial. */
const shareOfTrial = 0.5;

/**
 * Measures trials in turn. If a hypervisor moves the cores early, the trials begin again, once, because times before and after a move differ.
 * @param {BattleState} state @param {readonly TrialRequest[]} requests @param {BlockDeps} deps
 */
async function runInTurn(state, requests, deps) {
  const first = await takeTurn(state, requests, {...deps, leastShare: 0});
  const isEnough = first.share >= shareOfTrial;
  const turn = isEnough ? first : await takeTurn(state, first.requests, {...deps, leastShare: shareOfTrial});
  await turn.store();
}

/**
 * Warms up the trials, as many at once as the cores allow, then measures all of them in slices: in each cycle once, in a random order.
 * @param {BattleState} state @param {readonly TrialRequest[]} requests
 * @param {BlockDeps & {leastShare: number}} deps leastShare: of the slices, which are measured even if the cores move
 * @returns the share of the slices that are measured; the trials that have not failed, and a function that stores these
 */
async function takeTurn(state, requests, {leastShare, ...deps}) {
  const prepared = await mapAtOnce(requests, deps.warmUpsAtOnce ?? 1, async (request) => {
    deps.signal.throwIfAborted();
    if (!request.isBeside) deps.onEvent({type: 'trial', cell: request.cell, round: request.round});
    return await attempt(async () => {
      const run = (await deps.pairFor(request)).begin(request.cell);
      await run.prepare();
      return run.failed ?? run;
    }, deps);
  });
  /** @type {{request: TrialRequest, run: SlicedRun, slices: Slices | null}[]} */
  const trials = [];
  for (const [index, run] of prepared.entries()) {
    const request = requests[index];
    if ('outcome' in run) await store(state, request, run, deps);
    else trials.push({request, run, slices: slicesOf(request.cell, run.typicalMs)});
  }
  for (const {run} of trials) await run.begin();
  const before = process.cpuUsage();
  const distances = new CoreDistances(deps);
  const share = await measureInTurn(trials, state.values.seed, {...deps, distances, leastShare});
  for (const {run} of trials) await run.end();
  const {user, system} = process.cpuUsage(before);
  for (const {request, run} of trials) if (run.failed) await store(state, request, run.failed, deps);
  const ended = trials.filter(({run}) => run.failed === null);
  return {
    share,
    requests: ended.map(({request}) => request),
    async store() {
      const sharings = sharingOf(
        ended.map(({run}) => run.used),
        (user + system) / 1000,
      );
      const outcomes = [];
      for (const [index, {request, run}] of ended.entries())
        outcomes.push({request, outcome: distances.addTo(await run.finish(sharings[index]))});
      const floorMsOf = floorsBeside(outcomes);
      for (const {request, outcome} of outcomes) {
        const floorMs = floorMsOf(request.cell);
        const isCompared = floorMs !== null && outcome.outcome === 'completed';
        await store(state, request, isCompared ? {...outcome, floorMs} : outcome, deps);
      }
    },
  };
}

/**
 * @param {readonly {request: TrialRequest, outcome: TrialOutcome}[]} outcomes of a block
 * @returns {(cell: Cell) => number | null} what its floor took that was measured beside it; null: the floor has its own trial of this round there, or none
 */
function floorsBeside(outcomes) {
  const found = outcomes.flatMap(({request: {cell, isBeside}, outcome}) =>
    isBeside && outcome.outcome === 'completed' ? {...cell, isFloor: true, figureMs: outcome.figureMs} : [],
  );
  return (cell) => floorOf(cell, found)?.figureMs ?? null;
}

/**
 * @template One, Found
 * @param {readonly One[]} list
 * @param {number} most at once
 * @param {(one: One) => Promise<Found>} work
 * @returns {Promise<Found[]>} in the order of the list; rejects once all that was begun has ended
 */
async function mapAtOnce(list, most, work) {
  /** @type {Found[]} */
  const found = [];
  const left = list.entries();
  const settled = await Promise.allSettled(
    Array.from({length: most}, async () => {
      for (const [index, one] of left) found[index] = await work(one);
    }),
  );
  for (const end of settled) if (end.status === 'rejected') throw end.reason;
  return found;
}

/** What is shown takes CPU time, between two slices. */
const showEveryMs = 1000;

/**
 * One that has fewer slices than others has them at even distances.
 * @param {readonly {request: TrialRequest, run: SlicedRun, slices: Slices | null}[]} trials
 * @param {number} seed @param {BattleDeps & {distances: CoreDistances, leastShare: number}} deps
 * @returns {Promise<number>} the share of the slices that each trial has at least: less than all if the cores moved
 */
async function measureInTurn(trials, seed, {distances, leastShare, onEvent, signal}) {
  const cycles = Math.max(0, ...trials.map(({slices}) => slices?.count ?? 0));
  const [first] = trials;
  const random = randomSource(
    seed,
    `slices of round ${first?.request.round} at ${first?.request.cell.payloadBytes}`,
  );
  const shareAt = (/** @type {number} */ cycle) =>
    Math.min(
      ...trials.map(({slices}) => (slices ? Math.floor((cycle * slices.count) / cycles) / slices.count : 1)),
    );
  // A number of samples is what a person asked for.
  const mayEnd = trials.every(({request}) => request.cell.length.samples === null);
  let shownAt = Number.NEGATIVE_INFINITY;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    if (performance.now() - shownAt >= showEveryMs) {
      shownAt = performance.now();
      onEvent({type: 'cycle', cells: trials.map(({request}) => request.cell), done: cycle / cycles});
    }
    const share = shareAt(cycle);
    if (!mayEnd || share < leastShare) await distances.measure();
    else if (await distances.haveMoved()) return share;
    for (const {run, slices} of shuffle([...trials], random)) {
      signal.throwIfAborted();
      if (slices === null) continue;
      const next = Math.floor((cycle * slices.count) / cycles);
      if (next < Math.floor(((cycle + 1) * slices.count) / cycles)) await measureAlone(run, slices.at(next));
    }
  }
  return 1;
}

/** The processes of the others sleep. @param {SlicedRun} run @param {Slice} slice */
async function measureAlone(run, slice) {
  holdHeartbeats();
  try {
    await run.measure(slice);
  } finally {
    releaseHeartbeats();
  }
}

/**
 * One that fails ends its cell. A floor that was measured for the ratios of a block has its trial elsewhere.
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

/**
 * Without a broker the trials that need one fail; the battle goes on.
 * @template Found
 * @param {() => Promise<Found>} work @param {BattleDeps} deps
 * @returns {Promise<Found | Extract<TrialOutcome, {outcome: 'failed'}>>}
 */
async function attempt(work, {signal, now = () => new Date()}) {
  const startedAt = now().toISOString();
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UnavailableError)) throw error;
    return {outcome: 'failed', startedAt, error: failureOf(error)};
  }
}
