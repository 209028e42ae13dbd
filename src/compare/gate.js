import {formatOwnRatio} from '../columns/figures.js';
import {counted, nameOfCell} from '../columns/names.js';

/**
 * @import {Judgement} from '../expect/types.js'
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {Interval} from '../stats/interval.js'
 * @import {Comparison} from './types.js'
 */

/** @typedef {Pick<Comparison, 'old' | 'new' | 'isFloor' | 'result' | 'why'> & {ratio: {ratio: number, ci95: Interval | null} | null}} Judged */

/**
 * Judges the expectation that the new side is not slower by a share or more. A cell fails if a slowdown of this size is shown. A cell whose
 * figures cannot be compared gets "cannot tell": it failed on a side, or the new side lacks it. A cell that only the new side has is judged
 * only if it failed. Raw TCP is the standard for the others, so it is not judged.
 * @param {readonly Judged[]} comparisons @param {number} share such as 0.05 @param {string} [standard] the name of the old side in the sentences
 * @returns {Judgement[]} a judgement for each cell that does not hold, or else a single judgement
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
 * @param {Judged} comparison @param {number} limit @param {string} standard
 * @returns {Pick<Judgement, 'outcome' | 'sentence'> | null} null if the cell is not slower by the limit
 */
function judgeOne({old, new: now, ratio, result, why}, limit, standard) {
  const name = nameOfCell(/** @type {CellRecord} */ (now ?? old));
  if (result === 'cannot tell' || result === 'not comparable')
    return {outcome: 'cannot tell', sentence: `${name}: ${why}`};
  if (ratio === null || ratio.ratio < limit) return null;
  const sentence = `${name}: it takes ${formatOwnRatio(ratio)} as long as ${standard}`;
  if (result === 'slower') return {outcome: 'fails', sentence};
  // If only the interval shows a slowdown, and the rank test or the control does not confirm it, a slowdown is not excluded.
  return why === null ? null : {outcome: 'cannot tell', sentence: `${sentence}, but ${why}`};
}

/**
 * Puts the cells that only the old side has into one judgement, because their lines would hide the others.
 * @param {readonly Judgement[]} judgements of `judgeSlowdown`: of several, those without a cell are of cells that the new side lacks
 */
export function withMissingTogether(judgements) {
  const missing = judgements.filter(({cell}) => cell === null);
  if (missing.length < 2) return judgements;
  const sentence = `${counted(missing.length, 'cell')}: only the old side has them`;
  return [...judgements.filter(({cell}) => cell !== null), {...missing[0], sentence}];
}
