import {groupBy} from '../stats/numbers.js';
import {findFloors, isOfFloor} from './groups.js';
import {allKnowSlices} from './slices.js';

/**
 * @import {BattleValues} from '../settings/index.js'
 * @import {Cell} from './cell.js'
 */

/**
 * @typedef {{group: readonly Cell[], cells: Cell[]}} Lacking a group, and its cells that lack the round
 * @typedef {Lacking & {isBeside?: boolean}} Measured isBeside: a floor whose trial of this round is another. It is measured for the ratios of this block
 */

/**
 * Divides the groups of a round into blocks. The pairs of a block live side by side and are measured in turn, in slices, each block with the floors of
 * its groups; any other group is a block of its own.
 *
 * @param {readonly Lacking[]} groups in their order
 * @param {{values: Pick<BattleValues, 'pairPer'>, cells: readonly Cell[], pairsAtOnce: number}} battle cells: all of the battle;
 *   pairsAtOnce: that fit the hosts
 * @returns {Measured[][]}
 */
export function blocksOf(groups, {values, cells, pairsAtOnce}) {
  const areSliced = allKnowSlices(cells);
  const isSliced = (/** @type {Lacking} */ {group}) =>
    areSliced && group.every(({length}) => length.inSlices);
  const together = groupBy(
    groups.filter(({cells: own}) => own.length > 0),
    (one) => {
      const [{number, workload, payloadBytes}] = one.group;
      if (!isSliced(one)) return number;
      return values.pairPer === 'cell' ? `${workload} ${payloadBytes}` : workload;
    },
  );
  const most = Math.max(1, pairsAtOnce);
  return [...together.values()].flatMap((block) =>
    most === 1 || !isSliced(block[0]) ? evenParts(block, most) : partsWithFloors(block, groups, most),
  );
}

/**
 * @param {readonly Lacking[]} block groups that are measured in slices
 * @param {readonly Lacking[]} all of the round
 * @param {number} most in each part, at least two
 * @returns {Measured[][]}
 */
function partsWithFloors(block, all, most) {
  const haveFloors = all.every(({group, cells}) => !isOfFloor(group[0]) || cells.length === group.length);
  if (haveFloors && block.length <= most) return [[...block]];
  const isOther = (/** @type {Lacking} */ {group}) => !isOfFloor(group[0]);
  const own = new Set(block.filter((one) => !isOther(one)));
  const others = block.filter(isOther);
  const entries = new Map(all.map((one, place) => [one.group, {one, place}]));
  const findGroups = findFloors([...entries.keys()]);
  const floorsOf = (/** @type {readonly Lacking[]} */ part) =>
    [...new Set(part.flatMap(({group}) => findGroups(group)))].flatMap(
      (group) => entries.get(group)?.one ?? [],
    );
  const placeOf = (/** @type {Lacking} */ {group}) => entries.get(group)?.place ?? 0;
  const parts = evenParts(others, Math.max(1, most - floorsOf(others).length)).map((part) => {
    const ofPart = floorsOf(part).map((floor) => (own.delete(floor) ? floor : besideOf(floor, part)));
    return [...part, ...ofPart].toSorted((one, other) => placeOf(one) - placeOf(other));
  });
  return own.size > 0 ? [...parts, ...evenParts([...own], most)] : parts;
}

/** @param {Lacking} floor @param {readonly Lacking[]} part @returns {Measured} */
function besideOf({group}, part) {
  const sizes = new Set(part.flatMap(({cells}) => cells.map(({payloadBytes}) => payloadBytes)));
  return {group, cells: group.filter(({payloadBytes}) => sizes.has(payloadBytes)), isBeside: true};
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
  if (list.length === 0) return [];
  const parts = Math.ceil(list.length / Math.min(most, list.length));
  const length = Math.ceil(list.length / parts);
  return Array.from({length: parts}, (_, part) => list.slice(part * length, (part + 1) * length));
}
