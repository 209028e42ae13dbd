import {mean, sampleVariance, sum} from 'simple-statistics';
import {spreadOf} from '../results/comparable.js';
import {roundLimits} from '../settings/battle-options.js';
import {groupBy} from '../stats/numbers.js';
import {findFloors} from './groups.js';
import {progressOf} from './state.js';

/**
 * @import {JournalTrial} from '../results/types.js'
 * @import {BattleValues} from '../settings/index.js'
 * @import {BattleState, Cell, StoppedBy, Time} from './types.js'
 */

/** With --rounds, repeats add at most this share of the rounds, so that a noisy host does not make a battle much longer than asked for. */
const repeatShare = 0.1;
/** With --quick: three are the least that can have an interval worth showing, and a first look must be short where a round is long. */
const minOfQuick = 3;

/**
 * How many rounds a battle has.
 *
 * @typedef {object} RoundRules
 * @property {number} min however long they take
 * @property {number} planned of all groups, while the budget lasts
 * @property {number} max the planned ones, and those of the groups that need more
 * @property {number | null} precision the share of the mean that every interval is to reach; null: only disturbed trials are repeated
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
 * @typedef {{groups: readonly Cell[][], stoppedBy: null} | {groups: null, stoppedBy: StoppedBy}} NextRound groups: those that the round
 *   still lacks, in the order of the plan
 */

/**
 * The groups of the next round, or why there is none. All groups take part in the planned rounds. Further rounds are for the groups that need
 * them: those with a disturbed trial that was not repeated yet, then those with the widest intervals. Their floors take part, because ratios
 * are paired by round. Beyond the minimum, a round has only groups that are expected to end within the budget. The choice follows from the
 * trials of the rounds before, so that a resumed battle completes the round in which it was interrupted.
 * @param {BattleState} state
 * @param {number} round from 1
 * @param {readonly Cell[][]} groups of the plan, as one pair of processes measures them
 * @param {Time} time @returns {NextRound}
 */
export function nextRound(state, round, groups, time) {
  const rules = roundRules(state.values);
  const running = groups.filter((group) => runningCells(state, group).length > 0);
  const lacks = (/** @type {readonly Cell[]} */ group) => lacksRound(state, group, round);
  const fits = (/** @type {readonly Cell[][]} */ some) =>
    time.expectedMs(some.filter(lacks)) <= time.remainingMs();
  if (running.length === 0 || round > rules.max) return {groups: null, stoppedBy: 'rounds'};
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

/** @param {BattleState} state @param {readonly Cell[]} group @returns {Cell[]} those that have not failed */
function runningCells(state, group) {
  return group.filter(({number}) => progressOf(state, number).error === null);
}

/**
 * Whether a group has no trial of a round in some cell that has not failed.
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
 * @returns {Cell[][]} the worst first
 */
function groupsInNeed(state, running, {round, rules}) {
  const needs = running.map((group) => {
    const trialsOfCells = runningCells(state, group).map(({number}) =>
      progressOf(state, number).trials.filter((trial) => trial.round < round),
    );
    return {
      group,
      unrepeated: Math.max(...trialsOfCells.map((trials) => unrepeatedOf(trials, rules.planned))),
      spread: Math.max(...trialsOfCells.map(spreadOf)),
    };
  });
  const precision = rules.precision ?? Number.POSITIVE_INFINITY;
  return needs
    .filter(({unrepeated, spread}) => unrepeated > 0 || spread > precision)
    .sort((one, other) => other.unrepeated - one.unrepeated || other.spread - one.spread)
    .map(({group}) => group);
}

/**
 * The disturbed trials of the planned rounds, less the trials that were added since.
 * @param {readonly Pick<JournalTrial, 'round' | 'repeat' | 'disturbed'>[]} trials of a cell
 * @param {number} planned
 */
function unrepeatedOf(trials, planned) {
  const added = trials.filter(({round, repeat}) => round > planned || repeat);
  return trials.filter((trial) => trial.disturbed && !added.includes(trial)).length - added.length;
}

/**
 * As many of the groups as fit, the first ones before the others, with their floors.
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

/**
 * @typedef {Pick<JournalTrial, 'round' | 'figureMs' | 'windows' | 'wallMs'>} Trial
 */

/** So many rounds tell the variances. */
const roundsToLearn = 3;
/** Less is mostly start and warm-up; more would be for a cell whose rounds happen to be alike. */
const bounds = {leastMs: 250, mostMs: 3000};

/**
 * How long each cell is measured in a round, where a person leaves it open: as long as makes the intervals of ratios narrowest for the time that the battle
 * takes.
 *
 * What cells that are measured in turn have in common, such as the state of the host, is in none of their ratios. Without it, the figure of a cell varies
 * from round to round (variance B: processes, compilers, memory), and within a round (W divided by the measured time t). n rounds leave (B + W/t) / n. A
 * round costs the start and the warm-up of all its processes, F, and the sum of all t. The sum of the variances over the cells, for a given time in all, is
 * least for t = √(F·W / ΣB), which is Kalibera and Jones' optimum (ISMM 2013) for cells that share the cost F.
 * @param {Cell[][]} groups @param {object} battle
 * @param {number} battle.round the next one
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
 * The variances of cells that were measured in turn: of the logarithms of their figures, without what they have in common.
 * @param {readonly (readonly Trial[])[]} cells the trials of each
 * @returns {({within: number, between: number} | null)[]} of each: within a round, of one ms, in ms; and from round to round, without that. Null where they are
 *   not known
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

/** By how much deviations from the mean of so many cells are smaller than their own. @param {number} count */
function restored(count) {
  return count > 1 ? Math.sqrt(count / (count - 1)) : 1;
}
