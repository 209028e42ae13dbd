import {randomUUID} from 'node:crypto';
import {resolve} from 'node:path';
import {runBattle} from '../battle/battle.js';
import {planCells} from '../battle/plan.js';
import {makeRecords} from '../battle/records.js';
import {abandonedBattles, battlesIn, thisProcess} from '../battle/resume.js';
import {assertWritable} from '../files/update-file.js';
import {localHost} from '../hosts/local.js';
import {appendToResults} from '../report/append-to-results.js';
import {printTable} from '../report/battle-table.js';
import {readFingerprint} from '../results/fingerprint.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {makeBrokerSource} from './broker-source.js';
import {describePlan} from './describe-plan.js';
import {describeSettings, publicSettings} from './describe-settings.js';
import {makeProgress} from './progress.js';
import {readSettings} from './read-settings.js';
import {restore} from './restore.js';
import {readVersions} from './versions.js';

/**
 * The battle: resolve, plan, run, report.
 * @type {import('./index.js').Command}
 */
export async function battle(commandLine, signal) {
  const asked = await readSettings(commandLine);
  for (const warning of asked.warnings) process.stderr.write(`Warning: ${warning}\n`);
  if (asked.values.printConfig) return print(describeSettings(asked));
  const journal = new Journal(journalPathFor(resolve(asked.values.results)));
  const recorded = await journal.read();
  for (const warning of recorded.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const {settings, state} = asked.values.resume
    ? await restore(asked, battlesIn(recorded.entries), journal.path)
    : {settings: asked, state: freshState(asked)};
  if (settings.values.dryRun) return print(describePlan(state));

  await assertWritable(settings.values.results);
  await journal.assertWritable();
  await closeAbandoned(journal, recorded.entries, state.id);
  const context = await readContext(settings);
  await journal.append({
    kind: 'battle',
    id: state.id,
    ...context,
    cells: state.cells,
    owner: await thisProcess(),
  });
  return fight({state, settings, context, journal, signal});
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

/** @param {import('../options/resolve.js').Settings} settings @returns {Promise<import('../battle/records.js').BattleContext>} */
async function readContext(settings) {
  const host = await readFingerprint();
  const {environment, machine} = settings.values;
  return {
    startedAt: new Date().toISOString(),
    environment,
    machine: machine ?? host.cpu,
    host,
    versions: await readVersions(),
    config: publicSettings(settings),
  };
}

/**
 * Runs the battle and reports it. When it is interrupted its finished trials are stored already, and each cell is recorded as
 * aborted before the interruption goes on.
 * @param {{state: import('../battle/battle.js').BattleState, settings: import('../options/resolve.js').Settings,
 *   context: import('../battle/records.js').BattleContext, journal: Journal, signal: AbortSignal}} run
 */
async function fight({state, settings, context, journal, signal}) {
  const progress = makeProgress(state, settings.values);
  const source = makeBrokerSource(settings, {id: state.id, log: progress.note, signal});
  const setBroker = (/** @type {import('../brokers/index.js').Broker} */ {versions}) =>
    Object.assign(context.versions, versions);
  try {
    await runBattle(state, {host: localHost, journal, ...source, setBroker, tell: progress.tell, signal});
  } catch (error) {
    if (signal.aborted) await journal.append(...makeRecords(state, context, {complete: false}));
    throw error;
  } finally {
    progress.end();
  }
  const records = makeRecords(state, context, {complete: true});
  await journal.append(...records);
  await report(records, {state, settings, context});
  return exitCodeOf(records, state);
}

/**
 * The table first: it must be seen also when the results file cannot be written any more.
 * @param {readonly import('../results/record-schema.js').CellRecord[]} records
 * @param {{state: import('../battle/battle.js').BattleState, settings: import('../options/resolve.js').Settings,
 *   context: import('../battle/records.js').BattleContext}} run
 */
async function report(records, {state, settings, context}) {
  const {json, quiet, results} = settings.values;
  const stream = json ? process.stderr : process.stdout;
  if (!quiet) printTable(records, context, stream);
  if (json) process.stdout.write(`${JSON.stringify({battle: {id: state.id, ...context}, cells: records})}\n`);
  const rows = await appendToResults(results, records);
  if (!quiet && rows > 0) stream.write(`${rows} rows appended to ${results}.\n`);
}

/**
 * @param {readonly import('../results/record-schema.js').CellRecord[]} records
 * @param {import('../battle/battle.js').BattleState} state
 */
function exitCodeOf(records, {progress}) {
  const codes = [...progress.values()].map(({error}) => error?.exitCode ?? 0);
  if (codes.includes(3)) return 3;
  const lost = records.some((record) => record.outcome === 'completed' && record.counts.lost > 0);
  return lost || records.some(({outcome}) => outcome !== 'completed') ? 1 : 0;
}

/**
 * Gives the cells of battles that were killed their records, aborted and without figures.
 * @param {Journal} journal
 * @param {readonly import('../results/journal.js').Entry[]} entries
 * @param {string} except the battle that goes on now
 */
async function closeAbandoned(journal, entries, except) {
  for (const {
    battle: {id, cells, ...context},
    cells: known,
  } of await abandonedBattles(battlesIn(entries))) {
    if (id === except) continue;
    const state = {id, cells, progress: new Map(), values: context.config};
    const records = makeRecords(state, /** @type {any} */ (context), {complete: false});
    await journal.append(...records.filter((record) => !known.has(record.id)));
  }
}
