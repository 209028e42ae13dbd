import {interruptedBattle} from '../battle/resume.js';
import {UsageError} from '../errors.js';
import {optionsOfBattle} from '../options/all.js';

/** What does not change the measurement may be said anew when a battle goes on. */
const free = new Set(['resume', 'results', 'json', 'quiet', 'dryRun', 'printConfig']);
/** What the journal does not keep whole, for a password may be in it. */
const secret = new Set(['rabbitmqPassword', 'rabbitmqUrl', 'broker']);

/**
 * The interrupted battle that the journal holds, with its own configuration and the trials that it has finished.
 *
 * @param {import('../options/resolve.js').Settings} asked
 * @param {readonly import('../battle/resume.js').RecordedBattle[]} battles
 * @param {string} journalPath for messages
 * @returns {Promise<{settings: import('../options/resolve.js').Settings, state: import('../battle/battle.js').BattleState,
 *   known: Partial<import('../battle/records.js').BattleContext>}>} known: what the records of the battle share already
 * @throws {UsageError} when there is none, or the person asks for another configuration
 */
export async function restore(asked, battles, journalPath) {
  refuseChanges(asked);
  const recorded = await interruptedBattle(battles);
  if (!recorded)
    throw new UsageError(
      `--resume found no interrupted battle in ${journalPath}. Run without it to start one.`,
    );
  const {battle, trials, broker} = recorded;
  const values = {...battle.config};
  for (const {key, secret: isSecret} of optionsOfBattle) {
    const hidden = isSecret || (secret.has(key) && String(values[key]).includes('***'));
    if (free.has(key) || hidden || !(key in values)) values[key] = asked.values[key];
  }
  const settings = {...asked, values};
  const state = {id: battle.id, cells: battle.cells, progress: progressFrom(trials), values};
  const known = {
    startedAt: battle.startedAt,
    ...(broker && {versions: broker.versions, roles: broker.roles}),
  };
  return {settings, state, known};
}

/** @param {import('../options/resolve.js').Settings} asked */
function refuseChanges({origins}) {
  for (const [key, {kind, name}] of Object.entries(origins)) {
    if (kind !== 'flag' || free.has(key) || secret.has(key)) continue;
    throw new UsageError(
      `--resume goes on with the interrupted battle as it was configured; ${name} cannot be given with it.`,
    );
  }
}

/**
 * Finished trials count; failed ones are tried again.
 * @param {readonly import('../results/journal.js').Entry[]} trials
 * @returns {Map<number, import('../battle/battle.js').CellProgress>}
 */
function progressFrom(trials) {
  const progress = new Map();
  for (const trial of trials) {
    if (trial.outcome !== 'completed') continue;
    const known = progress.get(trial.cell) ?? {trials: [], error: null};
    progress.set(trial.cell, {...known, trials: [...known.trials, trial]});
  }
  return progress;
}
