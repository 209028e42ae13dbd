import {randomUUID} from 'node:crypto';
import {resolve} from 'node:path';
import {planCells} from '../battle/plan.js';
import {battlesIn, thisProcess} from '../battle/resume.js';
import {assertWritable} from '../files/update-file.js';
import {readFingerprint} from '../results/fingerprint.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {describePlan} from './describe-plan.js';
import {describeSettings, publicSettings} from './describe-settings.js';
import {closeAbandoned, fight} from './fight.js';
import {listPresets} from './list-presets.js';
import {readSettings} from './read-settings.js';
import {report} from './report-battle.js';
import {restore} from './restore.js';
import {readVersions} from './versions.js';

/**
 * The battle: resolve, plan, run, report.
 * @type {import('./index.js').Command}
 */
export async function battle(commandLine, signal) {
  const asked = await readSettings(commandLine);
  for (const warning of asked.warnings) process.stderr.write(`Warning: ${warning}\n`);
  if (asked.values.listPresets) return print(listPresets());
  if (asked.values.printConfig) return print(describeSettings(asked));
  const journal = new Journal(journalPathFor(resolve(asked.values.results)));
  const recorded = await journal.read();
  for (const warning of recorded.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const {settings, state, known} = asked.values.resume
    ? await restore(asked, battlesIn(recorded.entries), journal.path)
    : {settings: asked, state: freshState(asked), known: {}};
  if (settings.values.dryRun) return print(describePlan(state));

  await assertWritable(settings.values.results);
  await journal.assertWritable();
  await closeAbandoned(journal, recorded.entries, state.id);
  const context = {...(await readContext(settings)), ...known};
  const owner = await thisProcess();
  await journal.append({kind: 'battle', id: state.id, ...context, cells: state.cells, owner});
  const run = {state, settings, context, journal, signal};
  return report(await fight(run), run);
}

/** @param {string} text */
function print(text) {
  process.stdout.write(text);
  return 0;
}

/** @param {import('../options/resolve.js').Settings} settings @returns {import('../battle/battle.js').BattleState} */
function freshState(settings) {
  return {
    id: randomUUID().slice(0, 8),
    cells: planCells(settings),
    progress: new Map(),
    values: settings.values,
  };
}

/**
 * What the records of one battle share, and what its journal line says.
 * @param {import('../options/resolve.js').Settings} settings
 * @returns {Promise<import('../battle/records.js').BattleContext>}
 */
async function readContext(settings) {
  const fingerprint = await readFingerprint();
  const {environment, machine} = settings.values;
  return {
    startedAt: new Date().toISOString(),
    environment,
    machine: machine ?? fingerprint.cpu,
    hosts: {[fingerprint.hostname]: fingerprint},
    roles: {client: fingerprint.hostname, server: fingerprint.hostname, broker: null},
    versions: await readVersions(),
    config: publicSettings(settings),
  };
}
