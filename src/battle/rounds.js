import {spreadOf} from '../results/comparable.js';
import {roundLimits} from '../settings/battle-options.js';
import {findFloors} from './groups.js';
import {progressOf} from './state.js';

/**
 * @import {JournalTrial} from '../results/trial.js'
 * @import {BattleValues} from '../settings/index.js'
 * @import {Cell} from './cell.js'
 * @import {BattleState, StoppedBy} from './state.js'
 */

/** With --rounds, repeats add at most this share of the rounds, so that a noisy host does not make a battle much longer than asked for. */
const repeatShare = 0.1;
/**
 * With --quick, whose rounds are short, one is added to three, so that three undisturbed trials can count, if it is expected to end within this time:
 * a first look takes a minute.
 */
const quickRepeats = {min: 3, rounds: 1, withinMs: 52_000};

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
  const {min, max} = roundLimits;
  if (rounds === null || precision !== null) return {min, planned: min, max, precision};
  const ofQuick = quick && rounds >= quickRepeats.min ? quickRepeats.rounds : 0;
  return {
    min: budgetMs === null ? rounds : Math.min(rounds, min),
    planned: rounds,
    max: rounds + Math.max(Math.round(rounds * repeatShare), ofQuick),
    precision: null,
  };
}

/**
 * The time in which all rounds that are not due in any case must end.
 * @param {Pick<BattleValues, 'rounds' | 'budgetMs' | 'quick'>} values
 * @returns {number | null} ms; null: no bound
 */
export function timeForRounds({rounds, budgetMs, quick}) {
  return budgetMs ?? (quick && rounds === quickRepeats.min ? quickRepeats.withinMs : null);
}

/**
 * The time that is left, and that groups are expected to take, both in ms.
 * @typedef {{remainingMs(): number, expectedMs(groups: readonly (readonly Cell[])[]): number}} Time
 *
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
 * @param {(groups: readonly Cell[][]) => boolean} fits @returns {Set<Cell[]>}
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
