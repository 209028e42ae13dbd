import {blocksOf, stepsOf} from '../battle/blocks.js';
import {describeLength, describePairWarmUp} from '../battle/describe-length.js';
import {estimateBattleMs} from '../battle/estimate.js';
import {groupsOf} from '../battle/groups.js';
import {orderOfRound} from '../battle/order.js';
import {roundRules} from '../battle/rounds.js';
import {nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/format-bytes.js';
import {highest} from '../stats/numbers.js';
import {describeRounds} from './describe-rounds.js';

/**
 * @import {Cell} from '../battle/cell.js'
 * @import {BattleState} from '../battle/state.js'
 */

/**
 * Describes what a battle would do, for --dry-run.
 * @param {Pick<BattleState, 'cells' | 'values'>} state
 */
export function describePlan({cells, values}) {
  const groups = groupsOf(cells, values);
  const warmUp = describePairWarmUp(cells);
  const lines = [
    ...describeRounds({cells, values}),
    `Seed ${values.seed}.`,
    ...describeHosts(values),
    ...(warmUp === null ? [] : [`Each pair warms up with small requests: ${warmUp}.`]),
    'A cell is measured for a time or a number of messages, after a warm-up of its own:',
    '',
    ...table(cells.map((cell) => [...nameOfCell(cell), describeLength(cell)])),
    '',
    ...(cells.some(({length}) => length.inSlices)
      ? ['Cells with + between them are measured in turn, in slices (--slices).']
      : []),
    ...Array.from({length: roundRules(values).planned}, (_, index) =>
      describeRound({cells, values, groups}, index + 1),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The same for --dry-run --json.
 * @param {Pick<BattleState, 'cells' | 'values'>} state
 */
export function planDocument({cells, values}) {
  const {planned, max} = roundRules(values);
  const estimatedMs = estimateBattleMs({cells, values});
  return {
    plan: {seed: values.seed, rounds: planned, maxRounds: max, budgetMs: values.budgetMs, estimatedMs},
    cells,
  };
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

/** @param {Pick<BattleState, 'cells' | 'values'> & {groups: readonly Cell[][]}} battle @param {number} round */
function describeRound({cells, values, groups}, round) {
  const blocks = blocksOf(
    orderOfRound(groups, round, values.seed).map((group) => ({group, cells: group})),
    {cells, values, pairsAtOnce: Number.POSITIVE_INFINITY},
  );
  const texts = blocks.map((block) => {
    const steps = stepsOf(
      block.map((one) => one.cells),
      (cell) => cell,
    );
    return steps.map((step) => step.map(({number}) => number).join('+')).join(' ');
  });
  return `round ${round}: ${texts.join(' | ')}`;
}

/** @param {Cell} cell */
function nameOfCell({number, labels, workload, payloadBytes}) {
  return [String(number).padStart(3), workload, formatBytes(payloadBytes).padStart(7), nameOfVariant(labels)];
}

/** @param {readonly string[][]} rows @returns {string[]} lines */
function table(rows) {
  const widths = rows[0].map((_, column) => highest(rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}
