import {groupBy} from '../stats/group-by.js';
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
