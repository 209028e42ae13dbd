import {groupBy} from '../stats/group-by.js';
import {allKnowSlices} from './slices.js';

/**
 * @import {BattleValues} from '../settings/index.js'
 * @import {Cell} from './cell.js'
 */

/** @typedef {{group: readonly Cell[], cells: Cell[]}} Lacking a group, and its cells that lack the round */

/**
 * Divides the groups of a round into blocks. The pairs of a block live side by side and are measured in turn, in slices; any other group is a block of
 * its own.
 *
 * @param {readonly Lacking[]} groups in their order
 * @param {{values: Pick<BattleValues, 'pairPer'>, cells: readonly Cell[], pairsAtOnce: number}} battle cells: all of the battle;
 *   pairsAtOnce: that fit the hosts
 * @returns {Lacking[][]}
 */
export function blocksOf(groups, {values, cells, pairsAtOnce}) {
  const areSliced = allKnowSlices(cells);
  const together = groupBy(
    groups.filter(({cells: own}) => own.length > 0),
    ({group}) => {
      const [{number, workload, payloadBytes}] = group;
      if (!areSliced || !group.every(({length}) => length.inSlices)) return number;
      return values.pairPer === 'cell' ? `${workload} ${payloadBytes}` : workload;
    },
  );
  return [...together.values()].flatMap((block) => evenParts(block, Math.max(1, pairsAtOnce)));
}

/**
 * What a block measures one after the other: the cells of one size of all its groups.
 * @template One
 * @param {readonly (readonly One[])[]} groups
 * @param {(one: One) => Pick<Cell, 'payloadBytes'>} cellOf
 * @returns {One[][]} in the order of the first group
 */
export function stepsOf(groups, cellOf) {
  return [...groupBy(groups.flat(), (one) => cellOf(one).payloadBytes).values()];
}

/**
 * @template One
 * @param {readonly One[]} list
 * @param {number} most in each part
 * @returns {One[][]} as few parts as possible, of about the same length
 */
function evenParts(list, most) {
  const parts = Math.max(1, Math.ceil(list.length / most));
  const length = Math.ceil(list.length / parts);
  return Array.from({length: parts}, (_, part) => list.slice(part * length, (part + 1) * length));
}
