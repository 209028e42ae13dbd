import {estimateBattleMs} from '../battle/estimate.js';
import {groupsOf} from '../battle/groups.js';
import {roundRules} from '../battle/rounds.js';
import {highest} from '../stats/numbers.js';

/** @import {BattleState} from '../battle/state.js' */

/**
 * How many rounds a battle has, what each consists of, and how long it is expected to take.
 * @param {Pick<BattleState, 'cells' | 'values'>} state
 * @returns {string[]} sentences
 */
export function describeRounds({cells, values}) {
  const {planned, precision} = roundRules(values);
  const {length: pairs} = groupsOf(cells, values);
  const estimatedMs = estimateBattleMs({cells, values});
  const {budgetMs} = values;
  const plan = `${planned} round${planned === 1 ? '' : 's'} of ${pairs} process pair${pairs === 1 ? '' : 's'} and ${cells.length} cell${cells.length === 1 ? '' : 's'}: about ${formatDuration(estimatedMs)}.`;
  if (budgetMs === null) return [plan];
  if (estimatedMs > budgetMs)
    return [
      plan,
      `That is longer than the budget of ${formatDuration(budgetMs)}, which only limits further rounds.`,
    ];
  if (precision === null) return [plan, `No round begins that would end after ${formatDuration(budgetMs)}.`];
  return [
    plan,
    `Then more of the variants with the widest intervals, until every mean is within ± ${percent(precision)} % or ${formatDuration(budgetMs)} are over.`,
  ];
}

/**
 * Why a battle without a fixed number of rounds ended.
 * @param {Pick<BattleState, 'stoppedBy' | 'values' | 'progress'>} state
 * @returns {string | null}
 */
export function describeEnd({stoppedBy, values, progress}) {
  const rounds = highest([...progress.values()].flatMap(({trials}) => trials.map(({round}) => round)));
  if (stoppedBy === 'precision')
    return `Every mean is within ± ${percent(values.precision ?? 0)} % after ${rounds} rounds.`;
  return stoppedBy === 'budget'
    ? `After ${rounds} rounds the budget of ${formatDuration(values.budgetMs ?? 0)} leaves no time for another.`
    : null;
}

/** @param {number} share */
function percent(share) {
  return Number((share * 100).toFixed(2));
}

/** @param {number} ms @returns {string} in seconds, minutes or hours */
export function formatDuration(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
