import {counted} from '../columns/names.js';
import {RunError} from '../errors.js';
import {exitCodeOfJudgements} from '../expect/judge.js';
import {exportFormats} from '../exports/index.js';
import {resultsStream} from '../report/for-programs.js';

/**
 * @import {JournalEntry} from '../battle/types.js'
 * @import {CodeOf, UsageError} from '../errors.js'
 * @import {Journal} from '../results/journal.js'
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {FinishedBattle} from './types.js'
 */

/**
 * Appends the rows of battles, with their machines side by side, then writes the exports. A failed export does not lose rows. The journal marks a battle
 * as over at the very end, so that --resume can complete the missing steps.
 * @param {readonly FinishedBattle[]} battles with the same settings, on different hosts
 * @param {{settings: BattleSettings, journal: Journal<JournalEntry>, signal: AbortSignal,
 *   canResume?: boolean}} run canResume: whether the hosts still exist after the battles
 * @throws {RunError} when the rows could not be appended, or an export not written
 * @throws {UsageError} when the target of an export is not a file that can be replaced
 */
export async function storeResults(battles, {settings, journal, signal, canResume = true}) {
  const {quiet, results, resume} = settings.values;
  const stream = resultsStream(settings.values);
  const records = battles.flatMap((finished) => finished.records);
  // A table of configurations does not show the sides of a comparison.
  const inTable = records.some(({variant}) => variant.side !== undefined) ? [] : records;
  // A resumed battle may have been killed right after its rows were written.
  const advice = `The journal has all records; perf-battle ${canResume ? '--resume appends the rows' : 'table shows them'}.`;
  // The markdown parser is a third of the code of a battle. A start, a refusal and --dry-run do not need it.
  const {appendToResults} = await import('../report/edit-markdown.js');
  const how = {others: await recordsOfOthers(journal, battles), onlyMissing: resume, signal};
  const rows = await orAdvise(advice, () => appendToResults(results, inTable, how));
  if (!quiet && rows > 0) stream.write(`${counted(rows, 'row')} appended to ${results}.\n`);
  const exported = await orAdvise('The rows are appended. perf-battle --resume repeats the export.', () =>
    writeExports(settings.values, records, signal),
  );
  for (const path of quiet ? [] : exported) stream.write(`Exported to ${path}.\n`);
  for (const {state} of battles) await journal.append({kind: 'rows', battleId: state.id, results, rows});
}

/**
 * Reads the records of earlier battles, with which new rows are compared.
 * @param {Journal<JournalEntry>} journal @param {readonly FinishedBattle[]} battles
 */
async function recordsOfOthers(journal, battles) {
  const ids = new Set(battles.map(({state}) => state.id));
  const {entries} = await journal.read();
  const ofOthers = entries.filter(({kind, battleId}) => kind === 'cell' && !ids.has(String(battleId)));
  if (ofOthers.length === 0) return [];
  // The library that checks records is loaded only if it is needed.
  const {readRecords} = await import('../results/read-records.js');
  return readRecords(ofOthers).records;
}

/** @template Result @param {string} advice @param {() => Promise<Result>} action */
async function orAdvise(advice, action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const code = /** @type {CodeOf<1>} */ (error.code);
    throw new RunError(`${error.message} ${advice}`, {code, cause: error});
  }
}

/**
 * @param {BattleSettings['values']} values @param {readonly CellRecord[]} records @param {AbortSignal} signal
 * @returns {Promise<string[]>} the paths of the written files
 */
async function writeExports({exports: formats, configuration, results}, records, signal) {
  const paths = [];
  for (const {name, write} of exportFormats) {
    if (formats?.includes(name)) paths.push(...(await write(results, records, {configuration, signal})));
  }
  return paths;
}

/** 0: success; 5: an expectation cannot be judged; 4: an expectation fails; 1: failure; 2: wrong usage; 3: a broker or a host was not available. */
const fromBestToWorst = [0, 5, 4, 1, 2, 3];

/** @param {number} one exit code of a battle @param {number} other */
export function worstExitCode(one, other) {
  return fromBestToWorst.indexOf(one) > fromBestToWorst.indexOf(other) ? one : other;
}

/** Failures at run time take precedence over expectations. @param {FinishedBattle} finished */
export function exitCodeOf({records, expectations, state: {progress}}) {
  const codes = [...progress.values()].map(({error}) => error?.exitCode ?? 0);
  if (codes.includes(3)) return 3;
  const isWrong = records.some(
    (record) => record.outcome === 'completed' && record.counts.lost + record.counts.corrupted > 0,
  );
  if (isWrong || records.some(({outcome}) => outcome !== 'completed')) return 1;
  return exitCodeOfJudgements(expectations);
}
