import {UsageError} from '../errors.js';
import {optionsOfBattle} from '../settings/index.js';
import {interruptedBattle} from './recorded-battles.js';

/**
 * @import {CellProgress} from '../battle/state.js'
 * @import {Origin, Settings} from '../options/resolve.js'
 * @import {Entry} from '../results/journal.js'
 * @import {RecordedBattle} from './recorded-battles.js'
 * @import {SessionRequest} from './run-session.js'
 */

/** What does not change the measurement may be said anew when a battle goes on. */
const free = new Set(['resume', 'results', 'json', 'quiet', 'dryRun', 'printConfig']);
/** What the journal does not keep whole, for a password may be in it. */
const secret = new Set(['rabbitmqPassword', 'rabbitmqUrl', 'broker']);

/**
 * The interrupted battle that the journal holds, with its own configuration and the trials that it has finished.
 *
 * @param {Settings} asked
 * @param {readonly RecordedBattle[]} battles
 * @param {string} journalPath for messages
 * @returns {Promise<Pick<SessionRequest, 'settings' | 'state' | 'known'>>}
 * @throws {UsageError} when there is none, or the person asks for another configuration
 */
export async function resumeBattle(asked, battles, journalPath) {
  const recorded = await interruptedBattle(battles);
  if (!recorded)
    throw new UsageError(
      `--resume found no interrupted battle in ${journalPath}. Run without it to start one.`,
    );
  const {battle, trials, broker} = recorded;
  const values = {...battle.config};
  const origins = {...asked.origins};
  for (const {key, secret: isSecret, battleDefault} of optionsOfBattle) {
    const hidden = isSecret || isMasked(key, values);
    if (isMasked(key, values) && isUnset(asked, key)) throw needsAgain(key, values[key]);
    if (!hidden && !free.has(key)) refuseChange(asked, key);
    if (free.has(key) || hidden || !(key in values)) values[key] = asked.values[key];
    else origins[key] = originOf(values[key], battleDefault);
  }
  const settings = {...asked, values, origins};
  const state = {id: battle.id, cells: battle.cells, progress: progressFrom(trials), values};
  const known = {
    startedAt: battle.startedAt,
    ...(broker && {versions: broker.versions, roles: broker.roles}),
  };
  return {settings, state, known};
}

/** @param {string} key @param {Record<string, any>} values of the journal */
function isMasked(key, values) {
  return secret.has(key) && String(values[key]).includes('***');
}

/** @param {Settings} asked @param {string} key */
function isUnset({origins}, key) {
  return origins[key].kind === 'default';
}

/**
 * @param {string} key
 * @param {string} masked
 */
function needsAgain(key, masked) {
  const option = optionsOfBattle.find((candidate) => candidate.key === key);
  return new UsageError(
    `The interrupted battle used the broker ${masked}, whose password the journal does not keep. Give it again: --resume --${option?.name} URL, or ${option?.environmentName}.`,
  );
}

/**
 * @param {unknown} value
 * @param {unknown} fallback
 * @returns {Origin}
 */
function originOf(value, fallback) {
  const isDefault = JSON.stringify(value) === JSON.stringify(fallback);
  return isDefault ? {kind: 'default', name: 'default'} : {kind: 'journal', name: 'the interrupted battle'};
}

/** @param {Settings} asked @param {string} key */
function refuseChange({origins}, key) {
  const {kind, name} = origins[key];
  if (kind !== 'flag') return;
  throw new UsageError(
    `--resume goes on with the interrupted battle as it was configured; ${name} cannot be given with it.`,
  );
}

/**
 * Finished trials count; failed ones are tried again.
 * @param {readonly Entry[]} trials
 * @returns {Map<number, CellProgress>}
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
