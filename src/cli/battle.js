import {randomUUID} from 'node:crypto';
import {resolve} from 'node:path';
import {planCells} from '../battle/plan.js';
import {assertWritable} from '../files/update-file.js';
import {describePlan} from '../report/describe-plan.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {closeAbandoned} from '../session/fight.js';
import {battlesIn} from '../session/recorded-battles.js';
import {restore} from '../session/restore.js';
import {holdBattle} from '../session/run-session.js';
import {exitCodeOf, printJson, showResults, storeResults} from '../session/store-results.js';
import {describeSettings} from './describe-settings.js';
import {listPresets} from './list-presets.js';
import {readSettings} from './read-settings.js';

/**
 * @import {BattleState} from '../battle/run-battle.js'
 * @import {Settings} from '../options/resolve.js'
 * @import {Command} from './index.js'
 */

/**
 * The battle: resolve, plan, run, report.
 * @type {Command}
 */
export async function battle(commandLine, signal) {
  const asked = await readSettings(commandLine);
  for (const warning of asked.warnings) process.stderr.write(`Warning: ${warning}\n`);
  if (asked.values.listPresets) return print(listPresets());
  if (asked.values.printConfig) return print(describeSettings(asked));
  const {journal, entries} = await openJournal(asked);
  const {settings, state, known} = asked.values.resume
    ? await restore(asked, battlesIn(entries), journal.path)
    : {settings: asked, state: freshState(asked), known: {}};
  if (settings.values.dryRun) return print(describePlan(state));

  await assertWritable(settings.values.results);
  await journal.assertWritable();
  await closeAbandoned(journal, entries, state.id);
  const held = await holdBattle({state, settings, known, journal, signal});
  showResults(held);
  if (settings.values.json) printJson({battle: held.battle, cells: held.records});
  await storeResults([held], {settings, journal, signal});
  return exitCodeOf(held);
}

/** @param {Settings} settings */
export async function openJournal({values}) {
  const journal = new Journal(journalPathFor(resolve(values.results)));
  const {entries, warnings} = await journal.read();
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  return {journal, entries};
}

/** @param {string} text */
function print(text) {
  process.stdout.write(text);
  return 0;
}

/** @param {Settings} settings @returns {BattleState} */
export function freshState(settings) {
  return {
    id: randomUUID().slice(0, 8),
    cells: planCells(settings),
    progress: new Map(),
    values: settings.values,
  };
}
