import {UsageError} from '../errors.js';
import {maskPassword} from '../files/mask-password.js';
import {resumeSettings} from '../settings/resume.js';
import {interruptedBattle} from './recorded-battles.js';

/**
 * @import {TrialEntry} from '../battle/journal-entries.js'
 * @import {CellProgress} from '../battle/state.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {RecordedBattle} from './recorded-battles.js'
 * @import {SessionRequest} from './run-session.js'
 */

/**
 * Restores the interrupted battle from the journal, with its own configuration and its finished trials.
 *
 * @param {BattleSettings} asked
 * @param {readonly RecordedBattle[]} battles
 * @param {string} journalPath for messages
 * @param {Parameters<typeof interruptedBattle>[1]} [runsHere] whether the process of a battle still runs
 * @returns {Promise<Pick<SessionRequest, 'settings' | 'state' | 'known'>>}
 * @throws {UsageError} when there is none, or the user asks for another configuration
 */
export async function resumeBattle(asked, battles, journalPath, runsHere) {
  const recorded = await interruptedBattle(battles, runsHere);
  if (!recorded)
    throw new UsageError(
      `--resume found no interrupted battle in ${maskPassword(journalPath)}. Run without it to start one.`,
    );
  const {battle, trials, broker} = recorded;
  const settings = resumeSettings(asked, battle.config);
  const {values} = settings;
  const progress = progressFrom(trials);
  const state = {id: battle.id, cells: battle.cells, progress, values, stoppedBy: null};
  const known = {
    startedAt: battle.startedAt,
    ...(broker && {versions: broker.versions, brokers: broker.brokers}),
  };
  return {settings, state, known};
}

/**
 * Finished trials are kept. Failed ones run again.
 * @param {readonly TrialEntry[]} trials
 * @returns {Map<number, CellProgress>}
 */
function progressFrom(trials) {
  /** @type {Map<number, CellProgress>} */
  const progress = new Map();
  for (const trial of trials) {
    if (trial.outcome !== 'completed') continue;
    const known = progress.get(trial.cell) ?? {trials: [], error: null};
    progress.set(trial.cell, {...known, trials: [...known.trials, trial]});
  }
  return progress;
}
