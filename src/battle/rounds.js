import {mean, sampleVariance, sum} from 'simple-statistics';
import {spreadOf} from '../results/comparable.js';
import {roundLimits} from '../settings/battle-options.js';
import {groupBy} from '../stats/numbers.js';
import {movedIn} from './core-distances.js';
import {findFloors, isOfFloor} from './groups.js';
import {progressOf} from './state.js';

/**
 * @import {JournalTrial} from '../results/types.js'
 * @import {BattleValues} from '../settings/index.js'
 * @import {BattleState, Cell, StoppedBy, Time} from './types.js'
 */

/** With --rounds, repeats add at most this share of the rounds, so that a noisy host does not make a battle much longer than asked for. */
const repeatShare = 0.1;
/** The minimum with --quick. A useful interval needs at least three rounds, and a quick battle must stay short even if a round is long. */
const minOfQuick = 3;

/**
 * Returns how many rounds a battle has.
 *
 * @typedef {object} RoundRules
 * @property {number} min the rounds that run regardless of the budget
 * @property {number} planned the rounds of all groups, while the budget lasts
 * @property {number} max the planned rounds, and the further rounds of groups that need more
 * @property {number | null} precision the target width of every interval, as a share of the mean; null: only disturbed trials are repeated
 * @param {Pick<BattleValues, 'rounds' | 'precision' | 'budgetMs' | 'quick'>} values @returns {RoundRules}
 */
export function roundRules({rounds, precision, budgetMs, quick}) {
  const {max} = roundLimits;
  const min = quick ? minOfQuick : roundLimits.min;
  if (rounds === null || precision !== null) return {min, planned: min, max, precision};
  return {
    min: budgetMs === null ? rounds : Math.min(rounds, min),
    planned: rounds,
    max: rounds + Math.round(rounds * repeatShare),
    precision: null,
  };
}

/**
 * @typedef {{groups: readonly Cell[][], stoppedBy: null} | {groups: null, stoppedBy: StoppedBy}} NextRound groups: the groups without
 *   a trial of the round yet, in the order of the plan
 */

/**
 * Returns the groups of the next round, or why there is no next round. All groups take part in the planned rounds. Further rounds measure the groups
 * with a disturbed trial that was not repeated yet, then the groups with the widest intervals. Their floors take part, because ratios are paired by
 * round. Beyond the minimum, a round has only groups that are expected to end within the budget. Without a number of rounds, there is no next round
 * if only the floor is left. The choice depends on the trials of earlier rounds only, so that a resumed battle completes the interrupted round.
 * @param {BattleState} state
 * @param {number} round from 1
 * @param {readonly Cell[][]} groups of the plan; one pair of processes measures a group
 * @param {Time} time @returns {NextRound}
 */
export function nextRound(state, round, groups, time) {
  const rules = roundRules(state.values);
  const running = groups.filter((group) => runningCells(state, group).length > 0);
  const lacks = (/** @type {readonly Cell[]} */ group) => lacksRound(state, group, round);
  const fits = (/** @type {readonly Cell[][]} */ some) =>
    time.expectedMs(some.filter(lacks)) <= time.remainingMs();
  const hasFailed = rules.precision === null ? running.length === 0 : !hasPurpose(state, running.flat());
  if (hasFailed) return {groups: null, stoppedBy: 'failures'};
  if (round > rules.max) return {groups: null, stoppedBy: 'rounds'};
  if (round <= rules.min || (round <= rules.planned && fits(running)))
    return {groups: running.filter(lacks), stoppedBy: null};
  if (round <= rules.planned) return {groups: null, stoppedBy: 'budget'};
  const needing = groupsInNeed(state, running, {round, rules});
  if (needing.length === 0)
    return {groups: null, stoppedBy: rules.precision === null ? 'rounds' : 'precision'};
  const chosen = chooseWithFloors(needing, running, fits);
  return chosen.size > 0
    ? {groups: running.filter((group) => chosen.has(group) && lacks(group)), stoppedBy: null}
    : {groups: null, stoppedBy: state.values.budgetMs === null ? 'rounds' : 'budget'};
}

/**
 * Returns whether a further round measures what the battle was asked for. The floor is only of use beside other cells, unless the battle has no others.
 * @param {BattleState} state @param {readonly Cell[]} cells of the groups with a cell that has not failed
 */
function hasPurpose(state, cells) {
  const running = runningCells(state, cells);
  return running.length > 0 && (state.cells.every(isOfFloor) || !running.every(isOfFloor));
}

/** @param {BattleState} state @param {readonly Cell[]} group @returns {Cell[]} the cells that have not failed */
function runningCells(state, group) {
  return group.filter(({number}) => progressOf(state, number).error === null);
}

/**
 * Returns whether some cell of a group has not failed and has no trial of the round yet.
 * @param {BattleState} state @param {readonly Cell[]} group @param {number} round
 */
export function lacksRound(state, group, round) {
  return runningCells(state, group).some(({number}) =>
    progressOf(state, number).trials.every((trial) => trial.round !== round),
  );
}

/**
 * @param {BattleState} state @param {readonly Cell[][]} running
 * @param {{round: number, rules: RoundRules}} next
 * @returns {Cell[][]} the groups with the greatest need first
 */
function groupsInNeed(state, running, {round, rules}) {
  const moved = movedIn(state, running.flat(), round);
  const needs = running.map((group) => {
    const trialsOfCells = runningCells(state, group).map(({number}) =>
      progressOf(state, number).trials.filter((trial) => trial.round < round),
    );
    return {
      group,
      unrepeated: Math.max(...trialsOfCells.map((trials) => unrepeatedOf(trials, rules.planned, moved))),
      spread: Math.max(...trialsOfCells.map((trials) => spreadOf(trials, moved))),
    };
  });
  const precision = rules.precision ?? Number.POSITIVE_INFINITY;
  return needs
    .filter(({unrepeated, spread}) => unrepeated > 0 || spread > precision)
    .sort((one, other) => other.unrepeated - one.unrepeated || other.spread - one.spread)
    .map(({group}) => group);
}

/**
 * Returns the number of trials of the planned rounds that are disturbed, or whose cores were moved, minus the number of trials that were added later.
 * @param {readonly JournalTrial[]} trials of a cell
 * @param {number} planned @param {ReadonlySet<JournalTrial>} moved
 */
function unrepeatedOf(trials, planned, moved) {
  const added = trials.filter(({round, repeat}) => round > planned || repeat);
  const isLost = (/** @type {JournalTrial} */ trial) => trial.disturbed || moved.has(trial);
  return trials.filter((trial) => isLost(trial) && !added.includes(trial)).length - added.length;
}

/**
 * Chooses as many groups as fit, with their floors, in the given order.
 * @param {readonly Cell[][]} needing @param {readonly Cell[][]} running
 * @param {(groups: readonly Cell[][]) => boolean} fits
 */
function chooseWithFloors(needing, running, fits) {
  /** @type {Set<Cell[]>} */
  let chosen = new Set();
  const floorsOf = findFloors(running);
  for (const group of needing) {
    const more = new Set([...chosen, group, ...floorsOf(group)]);
    if (fits([...more])) chosen = more;
  }
  return chosen;
}

/** @typedef {Pick<JournalTrial, 'round' | 'figureMs' | 'windows' | 'wallMs'>} Trial */

/** The number of rounds after which variances are computed. */
const roundsToLearn = 3;
/** A shorter trial is mostly start and warm-up. A computed longer trial would come from a cell whose rounds are alike by chance. */
const bounds = {leastMs: 200, mostMs: 3000};

/**
 * Sets how long each cell with an open length is measured in a round. The chosen time makes the intervals of ratios narrowest for the time that the
 * battle takes.
 *
 * Influences that cells measured in turn have in common, such as the state of the host, cancel out in their ratios. The rest of a cell's figure varies
 * from round to round (variance B: processes, compilers, memory), and within a round (W divided by the measured time t). The variance of the mean of
 * n rounds is (B + W/t) / n. A round costs F, the start and the warm-up of all its processes, and the sum of all t. For a given total time, the sum of
 * the variances over the cells is least for t = √(F·W / ΣB). This is Kalibera and Jones' optimum (ISMM 2013) for cells that share the cost F.
 * @param {Cell[][]} groups @param {object} battle
 * @param {number} battle.round the next round
 * @param {(cell: Cell) => readonly Trial[]} battle.trialsOf @param {Pick<Time, 'expectedMs'>} battle.pace
 * @returns {Cell[][]}
 */
export function withSplitTime(groups, {round, trialsOf, pace}) {
  if (round <= roundsToLearn) return groups;
  const open = groups.flat().filter(({length}) => length.isOpen);
  const inTurn = groupBy(open, ({workload, payloadBytes}) => `${workload} ${payloadBytes}`);
  const known = [...inTurn.values()].flatMap((cells) => {
    const trials = cells.map((cell) => trialsOf(cell).filter((trial) => trial.round < round));
    return variancesOf(trials).flatMap((found, index) => (found ? [{cell: cells[index], ...found}] : []));
  });
  if (known.length === 0) return groups;
  const fixedMs = pace.expectedMs(groups.map((group) => group.map((cell) => withTime(cell, 0))));
  const between = sum(known.map((one) => one.between));
  const times = new Map(known.map(({cell, within}) => [cell.number, timeFor({fixedMs, within, between})]));
  return groups.map((group) =>
    group.map((cell) => withTime(cell, times.get(cell.number) ?? cell.length.durationMs)),
  );
}

/** @param {Cell} cell @param {number | null} durationMs */
function withTime(cell, durationMs) {
  return cell.length.isOpen ? {...cell, length: {...cell.length, durationMs}} : cell;
}

/** @param {{fixedMs: number, within: number, between: number}} found @returns {number} ms */
function timeFor({fixedMs, within, between}) {
  if (within === 0) return bounds.leastMs;
  const bestMs = Math.sqrt((fixedMs * within) / between);
  return Math.round(Math.min(bounds.mostMs, Math.max(bounds.leastMs, bestMs)));
}

/**
 * Computes variances for cells that were measured in turn: of the logarithms of their figures, without the variation that the cells have in common.
 * @param {readonly (readonly Trial[])[]} cells the trials of each cell
 * @returns {({within: number, between: number} | null)[]} of each cell. within: the variance of a measurement of 1 ms within a round, in ms; between: the
 *   variance from round to round without the part from within the rounds. null: unknown
 */
export function variancesOf(cells) {
  const rounds = [...groupBy(cells.flat(), ({round}) => round).values()].map((trials) => {
    const parts = trials.flatMap(({windows}) => (windows ? [windows.map(Math.log)] : []));
    return {
      ...{count: trials.length, level: mean(trials.map(({figureMs}) => Math.log(figureMs)))},
      ...{ofParts: parts.length, levels: parts[0]?.map((_, part) => mean(parts.map((one) => one[part])))},
      trials: new Set(trials),
    };
  });
  return cells.map((trials) => {
    const within = [];
    const figures = [];
    for (const trial of trials) {
      const {count, level, ofParts, levels} = /** @type {typeof rounds[number]} */ (
        rounds.find((round) => round.trials.has(trial))
      );
      figures.push((Math.log(trial.figureMs) - (count > 1 ? level : 0)) * restored(count));
      const parts = trial.windows?.map(
        (value, part) => (Math.log(value) - (ofParts > 1 ? levels[part] : 0)) * restored(ofParts),
      );
      if (parts) within.push((trial.wallMs * sampleVariance(parts)) / parts.length);
    }
    if (within.length < 2) return null;
    const ofTrial = mean(within) / mean(trials.map(({wallMs}) => wallMs));
    return {within: mean(within), between: Math.max(0, sampleVariance(figures) - ofTrial)};
  });
}

/** Corrects deviations from the mean of `count` cells, which are too small because the mean contains the deviating cell. @param {number} count */
function restored(count) {
  return count > 1 ? Math.sqrt(count / (count - 1)) : 1;
}
