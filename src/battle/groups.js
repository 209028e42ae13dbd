import {groupBy} from '../stats/group-by.js';
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
 * The groups that have the floors of a group.
 * @template {readonly Cell[]} Group
 * @param {readonly Cell[]} group
 * @param {readonly Group[]} groups
 * @returns {Group[]}
 */
export function floorGroupsOf(group, groups) {
  const floors = groups
    .flatMap((one) => [...one])
    .filter(({transport}) => transport === floorTransport.name)
    .map((cell) => ({...cell, isFloor: true}));
  const numbers = new Set(group.map((cell) => floorOf(cell, floors)?.number));
  return groups.filter((other) => other.some(({number}) => numbers.has(number)));
}
