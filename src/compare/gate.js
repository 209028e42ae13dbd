import {formatOwnRatio} from '../columns/figures.js';
import {nameOfCell} from '../columns/names.js';

/**
 * @import {Judgement} from '../expect/types.js'
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {Interval} from '../stats/interval.js'
 * @import {Comparison} from './types.js'
 */

/** @typedef {Pick<Comparison, 'old' | 'new' | 'isFloor' | 'result' | 'why'> & {ratio: {ratio: number, ci95: Interval | null} | null}} Judged */

/**
 * Judges the expectation that the new side is not slower by a share or more. It fails where a slowdown is shown and as large. It cannot tell
 * of a cell whose figures cannot be compared: one that failed on a side, or that the new side lacks, is not seen to be as fast. Of the cells
 * that only the new side has, those that failed are among them. Raw TCP is what others are measured by, so it is not judged.
 * @param {readonly Judged[]} comparisons @param {number} share such as 0.05
 * @param {string} [standard] what the new side is compared with, for a person
 * @returns {Judgement[]} of each cell for which it does not hold; otherwise one
 */
export function judgeSlowdown(comparisons, share, standard = 'before') {
  const expectation = `--fail-if-slower ${Number((share * 100).toFixed(4))}%`;
  const judged = comparisons.filter(
    ({isFloor, old, new: now}) => !isFloor && (old !== null || now?.outcome !== 'completed'),
  );
  const found = judged.flatMap((comparison) => {
    const judgement = judgeOne(comparison, 1 + share, standard);
    return judgement === null ? [] : [{expectation, cell: comparison.new?.id ?? null, ...judgement}];
  });
  if (found.length > 0) return found;
  const highest = Math.max(...judged.map(({ratio}) => ratio?.ci95?.[1] ?? 0));
  const sentence =
    judged.length === 0
      ? 'the sides have no cell in common but raw TCP'
      : `no cell is slower by as much. The intervals reach up to ${highest.toFixed(2)}×: a smaller change may be hidden`;
  return [
    {
      expectation,
      cell: null,
      outcome: judged.length === 0 ? 'cannot tell' : 'holds',
      sentence: `${expectation}: ${sentence}`,
    },
  ];
}

/**
 * @param {Judged} comparison of a cell that is judged
 * @param {number} limit @param {string} standard
 * @returns {Pick<Judgement, 'outcome' | 'sentence'> | null} null: it is not slower by as much
 */
function judgeOne({old, new: now, ratio, result, why}, limit, standard) {
  const name = nameOfCell(/** @type {CellRecord} */ (now ?? old));
  if (result === 'cannot tell' || result === 'not comparable')
    return {outcome: 'cannot tell', sentence: `${name}: ${why}`};
  if (ratio === null || ratio.ratio < limit) return null;
  const sentence = `${name}: it takes ${formatOwnRatio(ratio)} as long as ${standard}`;
  if (result === 'slower') return {outcome: 'fails', sentence};
  // Its interval alone shows a slowdown, and the other instruments do not agree: the gate does not see that there is none.
  return why === null ? null : {outcome: 'cannot tell', sentence: `${sentence}, but ${why}`};
}
