import {capWarnings, firstMistake} from '../results/journal.js';

/**
 * @import {ZodType} from 'zod'
 * @import {TrialEntry} from '../battle/journal-entries.js'
 * @import {RecordedBattle} from './recorded-battles.js'
 */

/**
 * Checks the lines of the battles that may go on or must be completed, because anything may stand in a journal. A battle without a usable
 * line of its own is left out; so are single trials, cells and brokers.
 *
 * @param {readonly RecordedBattle[]} battles
 * @param {(battle: RecordedBattle) => boolean} isFinished nothing is done with such a battle
 * @returns {Promise<{battles: RecordedBattle[], warnings: string[]}>}
 */
export async function checkBattles(battles, isFinished) {
  if (battles.every(isFinished)) return {battles: [...battles], warnings: []};
  // The library takes half as long to load as the rest of a battle.
  const schema = await import('./journal-schema.js');
  /** @type {string[]} */
  const warnings = [];

  /**
   * @template Line
   * @param {string} what
   * @param {ZodType} type
   * @param {Line} line
   * @returns {line is NonNullable<Line>}
   */
  const isUsable = (what, type, line) => {
    const {success, error} = type.safeParse(line);
    if (!success) warnings.push(`${what} is skipped: ${firstMistake(error)}.`);
    return success;
  };

  const usable = battles.flatMap((recorded) => {
    if (isFinished(recorded)) return recorded;
    const {battle, trials, cells, broker} = recorded;
    const name = `battle ${battle.id} of the journal`;
    if (!isUsable(`The ${name}`, schema.battleLine, battle)) return [];
    const numbers = new Set(battle.cells.map(({number}) => number));
    const trialLine = schema.trialLine.refine((trial) => numbers.has(trial.cell), {
      message: 'the battle has no such cell',
      path: ['cell'],
    });
    const usableTrials = trials.filter((trial) => isUsable(`A trial of the ${name}`, trialLine, trial));
    const {newest, older} = newestTrials(usableTrials);
    if (older > 0)
      warnings.push(
        `The ${name} has ${older} trial${older === 1 ? '' : 's'} more than once. Of each cell and round, the newest counts.`,
      );
    return {
      ...recorded,
      trials: newest,
      cells: new Map(
        [...cells].filter(([, cell]) => isUsable(`A cell of the ${name}`, schema.cellLine, cell)),
      ),
      broker: broker && isUsable(`A broker of the ${name}`, schema.brokerLine, broker) ? broker : null,
    };
  });
  return {battles: usable, warnings: capWarnings(warnings)};
}

/**
 * The newest completed trial of each cell and round, and all failed ones. Two processes may have run the same battle, or journals were merged.
 * @param {readonly TrialEntry[]} trials
 * @returns {{newest: TrialEntry[], older: number}} older: how many do not count
 */
function newestTrials(trials) {
  /** @type {Map<string, TrialEntry>} */
  const newest = new Map();
  for (const trial of trials) {
    if (trial.outcome !== 'completed') continue;
    // In version 0.1.0, the repeat of a disturbed trial had its round.
    const place = `${trial.cell} ${trial.round} ${trial.repeat === true}`;
    const known = newest.get(place);
    if (!known || trial.startedAt >= known.startedAt) newest.set(place, trial);
  }
  const counting = new Set(newest.values());
  const kept = trials.filter((trial) => trial.outcome !== 'completed' || counting.has(trial));
  return {newest: kept, older: trials.length - kept.length};
}
