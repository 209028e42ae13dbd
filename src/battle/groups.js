import {groupBy} from '../stats/numbers.js';
import {floorTransport} from '../transports/index.js';
import {floorOf} from '../verdict/compare-cells.js';
import {workloads} from '../workloads/index.js';

/**
 * @import {BattleValues} from '../settings/index.js'
 * @import {Cell} from './cell.js'
 */

/**
 * The cells that one pair of role processes measures in a round, one after the other: those that differ in nothing but their payload size,
 * if their workload allows it.
 * @template {Pick<Cell, 'number' | 'transport' | 'workload' | 'variant'>} Planned
 * @param {readonly Planned[]} cells
 * @param {Pick<BattleValues, 'pairPer'>} values
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
 * Finds the groups that have the floors of a group.
 * @template {readonly Cell[]} Group
 * @param {readonly Group[]} groups
 * @returns {(group: readonly Cell[]) => Group[]}
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
