import {estimateBattleMs} from '../battle/estimate.js';
import {groupsOf} from '../battle/groups.js';
import {orderOfRound} from '../battle/order.js';
import {roundBounds} from '../battle/rounds.js';
import {nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/format-bytes.js';

/**
 * @import {Cell} from '../battle/cell.js'
 * @import {BattleState} from '../battle/state.js'
 */

/**
 * Describes what a battle would do, for --dry-run.
 * @param {BattleState} state
 */
export function describePlan({cells, values}) {
  const {min: rounds, max} = roundBounds(values);
  const seconds = Math.round(estimateBattleMs({cells, values}) / 1000);
  const bound = max === rounds ? '' : `, at most ${max}, until the intervals are narrow enough`;
  const groups = groupsOf(cells, values);
  const lines = [
    `${cells.length} cells × ${rounds} rounds${bound} = ${cells.length * rounds} trials, about ${formatTime(seconds)}`,
    `seed ${values.seed}`,
    ...describeHosts(values),
    '',
    ...cells.map((cell) => `${String(cell.number).padStart(3)}  ${nameOfCell(cell)}`),
    '',
    ...Array.from({length: rounds}, (_, index) => describeRound(groups, index + 1, values.seed)),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Where the roles run, unless all run on this host.
 * @param {BattleState['values']} values
 */
function describeHosts({clientOn, serverOn, brokerOn, brokerNodes}) {
  if (!clientOn && !serverOn && !brokerOn) return [];
  const here = 'this host';
  const servers = serverOn?.join(', ') ?? here;
  const broker = brokerNodes > 1 ? `a private cluster of ${brokerNodes} nodes` : 'a private broker';
  return [
    `clients on ${clientOn?.join(', ') ?? here}; servers on ${servers}; ${broker}, if needed, on ${brokerOn?.join(', ') ?? serverOn?.[0] ?? here}`,
  ];
}

/** @param {number} seconds */
function formatTime(seconds) {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** @param {readonly Cell[][]} groups @param {number} round @param {number} seed */
function describeRound(groups, round, seed) {
  const pairs = orderOfRound(groups, round, seed).map((group) => group.map(({number}) => number).join(' '));
  return `round ${round}: ${pairs.join(' | ')}`;
}

/** @param {Cell} cell */
function nameOfCell({labels, workload, payloadBytes}) {
  return `${workload}  ${formatBytes(payloadBytes).padStart(7)}  ${nameOfVariant(labels)}`;
}
