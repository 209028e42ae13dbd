import {spreadOf} from '../results/over-trials.js';
import {progressOf} from './state.js';

/**
 * @import {BattleValues} from '../settings/index.js'
 * @import {Cell} from './cell.js'
 * @import {BattleState} from './state.js'
 */

/** With --precision a battle has at least `min` rounds, and goes on up to `max`. */
const roundsForPrecision = {min: 5, max: 30};
/** Repeats may add this share to the planned trials, so that a noisy host does not make a battle endless. */
const repeatShare = 0.1;

/**
 * How many rounds a battle has.
 * @param {Pick<BattleValues, 'precision' | 'rounds'>} values
 * @returns {{min: number, max: number}} the same, unless a precision decides
 */
export function roundBounds({precision, rounds}) {
  return precision === null ? {min: rounds, max: rounds} : roundsForPrecision;
}

/**
 * The groups that a round consists of: every cell that has not failed gets the planned rounds, and more until its interval is narrow enough.
 * @param {BattleState} state
 * @param {number} round from 1
 * @param {readonly Cell[][]} groups of all cells
 * @returns {readonly Cell[][]} none when the battle is over
 */
export function groupsOfRound(state, round, groups) {
  const {cells, values} = state;
  const bounds = roundBounds(values);
  const remaining = cells.map(({number}) => progressOf(state, number)).filter(({error}) => error === null);
  if (remaining.length === 0 || round > bounds.max) return [];
  const isNeeded =
    round <= bounds.min ||
    remaining.some(({trials}) => spreadOf(trials) > (values.precision ?? Number.POSITIVE_INFINITY));
  return isNeeded ? groups : [];
}

/**
 * Whether one more disturbed trial may be repeated.
 * @param {BattleState} state
 */
export function mayRepeat(state) {
  const {cells, values} = state;
  const repeats = cells.flatMap(({number}) => progressOf(state, number).trials).filter(({repeat}) => repeat);
  return repeats.length < cells.length * roundBounds(values).min * repeatShare;
}
