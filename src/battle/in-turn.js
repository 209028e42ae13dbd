import {shuffle} from 'simple-statistics';
import {failureOf, UnavailableError} from '../errors.js';
import {holdHeartbeats, releaseHeartbeats} from '../hosts/local.js';
import {randomSource} from '../payload/random.js';
import {floorOf} from '../verdict/compare-cells.js';
import {CoreDistances} from './core-distances.js';
import {sharingOf} from './host-loads.js';
import {slicesOf} from './slices.js';

/**
 * @import {Slice} from '../messages.js'
 * @import {RolePair, SlicedRun} from './role-pair.js'
 * @import {BattleEvent, Cell, Slices, TrialOutcome, TrialRequest} from './types.js'
 */

/**
 * @typedef {Pick<RolePair, 'measure' | 'begin' | 'isUsable' | 'close'>} Pair
 *
 * @typedef {object} Deps
 * @property {(request: TrialRequest) => Promise<Pair>} pairFor a usable pair
 * @property {(request: TrialRequest, outcome: TrialOutcome) => Promise<void>} store is called with each outcome as soon as it is known
 * @property {number} seed of the order of the slices
 * @property {(event: BattleEvent) => void} onEvent
 * @property {AbortSignal} signal
 * @property {{distance: () => Promise<number | null>}} [awake] measures how far apart the cores are
 * @property {number} [warmUpsAtOnce] default 1
 * @property {() => Date} [now]
 *
 * @typedef {{request: TrialRequest, outcome: TrialOutcome}} Ended
 * @typedef {{request: TrialRequest, run: SlicedRun, slices: Slices | null}} Prepared
 */

/** If a hypervisor moves the cores after this share of the slices, the slices before the move are the trial. */
const shareOfTrial = 0.5;

/**
 * Measures trials of one size in turn. If a hypervisor moves the cores early, the trials begin again, once, because times before and after a move
 * differ. A trial that has lost a message by then does not begin again, so that its loss is stored.
 * @param {readonly TrialRequest[]} requests @param {Deps} deps
 */
export async function measureInTurn(requests, deps) {
  const turn = await takeTurn(requests, 0, deps);
  if (turn.share >= shareOfTrial) return await turn.finish(turn.trials);
  await turn.finish(turn.trials.filter(({run}) => !run.isClean));
  const clean = turn.trials.flatMap(({run, request}) => (run.isClean ? request : []));
  const again = await takeTurn(clean, shareOfTrial, deps);
  await again.finish(again.trials);
}

/**
 * Warms up the trials, as many at once as the cores allow, then measures all of them in slices: in each cycle once, in a random order.
 * @param {readonly TrialRequest[]} requests
 * @param {number} leastShare of the slices, which are measured even if the cores move
 * @param {Deps} deps
 * @returns share: of the slices that are measured; trials: those that have not failed; finish: stores some of these
 */
async function takeTurn(requests, leastShare, deps) {
  const prepared = await mapAtOnce(requests, deps.warmUpsAtOnce ?? 1, async (request) => {
    deps.signal.throwIfAborted();
    if (!request.isBeside) deps.onEvent({type: 'trial', cell: request.cell, round: request.round});
    return await attempt(async () => {
      const run = (await deps.pairFor(request)).begin(request.cell);
      await run.prepare();
      return run.failed ?? run;
    }, deps);
  });
  /** @type {Prepared[]} */
  const trials = [];
  for (const [index, run] of prepared.entries()) {
    const request = requests[index];
    if ('outcome' in run) await deps.store(request, run);
    else trials.push({request, run, slices: slicesOf(request.cell, run.typicalMs)});
  }
  for (const {run} of trials) await run.begin();
  const before = process.cpuUsage();
  const distances = new CoreDistances(deps);
  const share = await measureSlices(trials, leastShare, {...deps, distances});
  for (const {run} of trials) await run.end();
  const {user, system} = process.cpuUsage(before);
  for (const {request, run} of trials) if (run.failed) await deps.store(request, run.failed);
  const ended = trials.filter(({run}) => run.failed === null);
  return {
    share,
    trials: ended,
    async finish(/** @type {readonly Prepared[]} */ some) {
      const sharings = sharingOf(
        ended.map(({run}) => run.used),
        (user + system) / 1000,
      );
      const outcomes = [];
      for (const trial of some) {
        const outcome = await trial.run.finish(sharings[ended.indexOf(trial)]);
        outcomes.push({request: trial.request, outcome: distances.addTo(outcome)});
      }
      for (const {request, outcome} of withFloors(outcomes)) await deps.store(request, outcome);
    },
  };
}

/**
 * Adds what its floor took to each trial whose floor was measured beside it and has its own trial of the round elsewhere.
 * @param {readonly Ended[]} outcomes of a block @returns {Ended[]}
 */
function withFloors(outcomes) {
  const floors = outcomes.flatMap(({request: {cell, isBeside}, outcome}) =>
    isBeside && outcome.outcome === 'completed' ? {...cell, isFloor: true, figureMs: outcome.figureMs} : [],
  );
  return outcomes.map(({request, outcome}) => {
    const floorMs = floorOf(request.cell, floors)?.figureMs;
    const isCompared = floorMs !== undefined && outcome.outcome === 'completed';
    return {request, outcome: isCompared ? {...outcome, floorMs} : outcome};
  });
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
 * Measures trials in turn. A trial with fewer slices than others has its slices at even distances.
 * @param {readonly Prepared[]} trials
 * @param {number} leastShare of the slices, which are measured even if the cores move
 * @param {Deps & {distances: CoreDistances}} deps
 * @returns {Promise<number>} the share of the slices that each trial has at least: less than all if the cores moved
 */
async function measureSlices(trials, leastShare, {seed, distances, onEvent, signal}) {
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
 * Without a broker the trials that need one fail; the battle goes on.
 * @template Found
 * @param {() => Promise<Found>} work @param {Pick<Deps, 'signal' | 'now'>} deps
 * @returns {Promise<Found | Extract<TrialOutcome, {outcome: 'failed'}>>}
 */
export async function attempt(work, {signal, now = () => new Date()}) {
  const startedAt = now().toISOString();
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UnavailableError)) throw error;
    return {outcome: 'failed', startedAt, error: failureOf(error)};
  }
}
