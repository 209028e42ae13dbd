import {shuffle} from 'simple-statistics';
import {randomSource} from '../payload/random.js';
import {groupBy} from '../stats/numbers.js';
import {floorTransport} from '../transports/index.js';
import {floorOf} from '../verdict/compare-cells.js';
import {workloads} from '../workloads/index.js';
import {allKnowSlices} from './slices.js';

/**
 * @import {BattleValues} from '../settings/index.js'
 * @import {Cell} from './types.js'
 */

/**
 * Groups the cells that one pair of role processes measures in a round, one after the other. The cells of a group differ in their payload size only,
 * and their workload allows a shared pair.
 * @template {Pick<Cell, 'number' | 'transport' | 'workload' | 'variant'>} Planned
 * @param {readonly Planned[]} cells @param {Pick<BattleValues, 'pairPer'>} values
 * @returns {Planned[][]} in the order of their first cells
 */
export function groupsOf(cells, {pairPer}) {
  const groups = groupBy(cells, ({number, transport, workload, variant}) => {
    const shares = pairPer === 'variant' && (workloads[workload].sharesPair?.(variant) ?? false);
    return shares ? JSON.stringify([transport, workload, variant]) : number;
  });
  return [...groups.values()];
}

/**
 * Returns a function that finds the groups that contain the floors of a group.
 * @template {readonly Cell[]} Group
 * @param {readonly Group[]} groups @returns {(group: readonly Cell[]) => Group[]}
 */
export function findFloors(groups) {
  const placeOf = (/** @type {Cell} */ {workload, payloadBytes}) => `${workload} ${payloadBytes}`;
  /** @type {Map<number, Group>} */
  const owners = new Map();
  for (const group of groups) for (const {number} of group) owners.set(number, group);
  const floors = groupBy(
    groups.flatMap((group) => group.filter(isOfFloor).map((cell) => ({...cell, isFloor: true}))),
    placeOf,
  );
  return (group) => {
    const found = group.map((cell) => floorOf(cell, floors.get(placeOf(cell)) ?? []));
    return [...new Set(found.map((floor) => owners.get(floor?.number ?? 0)))].filter(
      (one) => one !== undefined,
    );
  };
}

/** @param {Pick<Cell, 'transport'>} cell */
export function isOfFloor({transport}) {
  return transport === floorTransport.name;
}

/**
 * @typedef {{group: readonly Cell[], cells: Cell[]}} Lacking a group, and its cells that have no trial of the round yet
 * @typedef {Lacking & {isBeside?: boolean}} Measured isBeside: a floor whose own trial of the round is in another block. This block measures the floor
 *   for its ratios only
 */

/**
 * Divides the groups of a round into blocks. The pairs of a block run at the same time and are measured in turn, in slices, together with the floors of
 * their groups. A group that is not measured in slices is a block by itself.
 * @param {readonly Lacking[]} groups in their order
 * @param {{values: Pick<BattleValues, 'pairPer'>, cells: readonly Cell[], pairsAtOnce: number}} battle cells: all cells of the battle;
 *   pairsAtOnce: the number of pairs that fit the hosts
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
 * @param {readonly Lacking[]} all groups of the round
 * @param {number} most the maximum number of groups in a part, at least two
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
 * Returns the steps that a block measures one after the other. A step has the cells of one size of all groups of the block.
 * @template One
 * @param {readonly (readonly One[])[]} groups @param {(one: One) => Pick<Cell, 'payloadBytes'>} cellOf
 * @returns {One[][]} in the order of the first group
 */
export function stepsOf(groups, cellOf) {
  return [...groupBy(groups.flat(), (one) => cellOf(one).payloadBytes).values()];
}

/**
 * @template One
 * @param {readonly One[]} list
 * @param {number} most the maximum length of a part
 * @returns {One[][]} as few parts as possible, of about the same length
 */
function evenParts(list, most) {
  if (list.length === 0) return [];
  const parts = Math.ceil(list.length / Math.min(most, list.length));
  const length = Math.ceil(list.length / parts);
  return Array.from({length: parts}, (_, part) => list.slice(part * length, (part + 1) * length));
}

/**
 * Returns the order of a round: the groups in a random order, and the cells of each group in the order of a row of a Latin square. The same seed
 * gives the same order. In a round, all groups of one length use the same row, so that compared cells have the same position.
 * @template One
 * @param {readonly (readonly One[])[]} groups
 * @param {number} round from 1
 * @param {number} seed @returns {One[][]}
 */
export function orderOfRound(groups, round, seed) {
  const lengths = new Set(groups.map(({length}) => length));
  const rows = new Map([...lengths].map((length) => [length, rowOfRound(length, round, seed)]));
  return shuffle([...groups], randomSource(seed, `order of round ${round}`)).map((group) =>
    (rows.get(group.length) ?? []).map((index) => group[index]),
  );
}

/**
 * Returns the row of a round. The order of the rows and their labels are random, and are drawn again after each full square. The function makes the
 * needed row only, because the square of thousands of sizes would not fit into memory.
 * @param {number} length @param {number} round @param {number} seed
 * @returns {number[]} indices
 */
function rowOfRound(length, round, seed) {
  const rowCount = rowsOfDesign(length);
  const block = Math.floor((round - 1) / rowCount);
  const random = randomSource(seed, `square ${block} of ${length}`);
  const labels = shuffle(rowOfDesign(length, 0), random);
  const order = shuffle(
    Array.from({length: rowCount}, (_, row) => row),
    random,
  );
  return rowOfDesign(length, order[(round - 1) % rowCount]).map((index) => labels[index]);
}

/**
 * Returns the number of rows of a Latin square that is balanced for carry-over (Williams, "Experimental designs balanced for the estimation of
 * residual effects of treatments", 1949). Each of n treatments takes each position equally often, and follows each other treatment equally often.
 * The square has n rows for an even n, and 2n rows for an odd n, of which the second half is the first half in reverse.
 * @param {number} count n, at least 1
 */
export function rowsOfDesign(count) {
  return count % 2 === 0 || count === 1 ? count : 2 * count;
}

/**
 * @param {number} count n, at least 1
 * @param {number} row from 0
 * @returns {number[]} the numbers from 0 to n - 1
 */
export function rowOfDesign(count, row) {
  const shift = row % count;
  const treatments = Array.from({length: count}, (_, position) => {
    const first = position % 2 === 0 ? (count - position / 2) % count : (position + 1) / 2;
    return (first + shift) % count;
  });
  return row < count ? treatments : treatments.reverse();
}
