import {mean, median} from 'simple-statistics';
import {percent} from '../stats/percent.js';
import {trendTest} from '../stats/rank-tests.js';
import {thresholds} from '../stats/thresholds.js';

/**
 * @import {Evidence} from './evidence.js'
 * @import {WarningDeclaration} from './warning.js'
 */

/**
 * The rounds of a battle are judged together, once for all cells: a round is the unit, because what slows the host in a round slows all its
 * cells. A test for each cell would give each battle as many chances of a false alarm as it has cells.
 * @type {WarningDeclaration}
 */
export const drift = {
  code: 'drift',
  level: 'suspect',
  onlySlows: true,
  sparesRatios: 'paired',
  condition: `the rounds of the battle became slower, or faster, by more than ${thresholds.driftShare * 100} % from the first to the last. Mann and Kendall's test over the rounds of all cells decides; at most ${thresholds.driftErrorRate * 100} % of the battles have a false alarm`,
  advice:
    'Something changed during the battle, such as temperature, other load or CPU credits. Ratios are paired by round and still hold. Let the host settle, then run again.',
  sentence: (_cell, cells) => {
    const levels = levelsOf(cells);
    if (levels.length < 2 || trendTest(levels.map(({level}) => level)) > thresholds.driftErrorRate)
      return null;
    const change = Math.exp(slopeOf(levels) * (levels[levels.length - 1].round - levels[0].round)) - 1;
    return Math.abs(change) > thresholds.driftShare
      ? `All cells together became ${change > 0 ? 'slower' : 'faster'} by ${percent(Math.abs(change))} from the first round to the last.`
      : null;
  },
};

/**
 * How far each round is from the mean of its cells, as a logarithm.
 * @param {readonly Evidence[]} cells
 * @returns {{round: number, level: number}[]} in the order of the rounds
 */
function levelsOf(cells) {
  /** @type {Map<number, number[]>} */
  const rounds = new Map();
  for (const {trials} of cells) {
    const typical = mean(trials.map(({figureMs}) => Math.log(figureMs)));
    for (const {round, figureMs} of trials)
      rounds.set(round, [...(rounds.get(round) ?? []), Math.log(figureMs) - typical]);
  }
  return [...rounds]
    .sort(([one], [other]) => one - other)
    .map(([round, differences]) => ({round, level: mean(differences)}));
}

/** The slope of Theil and Sen: the median over all pairs of rounds. @param {readonly {round: number, level: number}[]} levels */
function slopeOf(levels) {
  return median(
    levels.flatMap((later, index) =>
      levels.slice(0, index).map((earlier) => (later.level - earlier.level) / (later.round - earlier.round)),
    ),
  );
}
