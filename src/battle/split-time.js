import {mean, sampleVariance, sum} from 'simple-statistics';
import {groupBy} from '../stats/numbers.js';

/**
 * @import {JournalTrial} from '../results/trial.js'
 * @import {Cell} from './cell.js'
 * @import {Pace} from './estimate.js'
 *
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
 * @param {(cell: Cell) => readonly Trial[]} battle.trialsOf @param {Pick<Pace, 'expectedMs'>} battle.pace
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

/** @param {Cell} cell @param {number | null} durationMs @returns {Cell} */
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
