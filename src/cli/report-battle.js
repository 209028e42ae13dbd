import {join, parse} from 'node:path';
import {RunError} from '../errors.js';
import {writeEnduroxData} from '../exports/write-endurox.js';
import {writeHistogramLog} from '../exports/write-hlog.js';
import {presets} from '../presets/index.js';
import {appendToResults} from '../report/append-to-results.js';
import {bandsText} from '../report/bands-text.js';
import {printTable} from '../report/battle-table.js';
import {besidePublished} from '../report/beside-published.js';

/** @typedef {import('../results/record-schema.js').CellRecord} CellRecord */

/**
 * Shows what a battle found, appends its rows and exports them. The table comes first: it must be seen also when the results file cannot
 * be written any more; the rows come before the exports, so that one that fails takes none along. The journal has the records, and says
 * only behind all of that that the battle is over: --resume does what is missing.
 *
 * @param {readonly CellRecord[]} records
 * @param {import('./fight.js').Run} run
 * @returns {Promise<number>} the exit code
 * @throws {RunError} when the rows could not be appended, or an export not written
 * @throws {import('../errors.js').UsageError} when something else stands where an export is to go
 */
export async function report(records, {state, settings, context, journal, signal}) {
  const {bands, json, quiet, results, preset} = settings.values;
  const stream = json ? process.stderr : process.stdout;
  if (!quiet) {
    printTable(records, context, stream);
    if (bands) stream.write(`\n${bandsText(records)}`);
    if (preset !== null) stream.write(`\n${besidePublished(presets[preset], records)}\n\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify({battle: {id: state.id, ...context}, cells: records})}\n`);
  // A battle that goes on may have been killed right after its rows were written.
  const onlyMissing = settings.values.resume;
  const rows = await orAdvise('The journal has all records; perf-battle --resume appends the rows.', () =>
    appendToResults(results, records, {onlyMissing, signal}),
  );
  if (!quiet && rows > 0) stream.write(`${rows} row${rows === 1 ? '' : 's'} appended to ${results}.\n`);
  const exported = await orAdvise('The rows are appended; perf-battle --resume exports again.', () =>
    writeExports(settings.values, records, signal),
  );
  for (const path of quiet ? [] : exported) stream.write(`Exported to ${path}.\n`);
  await journal.append({kind: 'rows', battleId: state.id, results, rows});
  return exitCodeOf(records, state);
}

/**
 * @template Result
 * @param {string} advice
 * @param {() => Promise<Result>} action
 * @throws {RunError} that of the action, with the advice
 */
async function orAdvise(advice, action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    throw new RunError(`${error.message} ${advice}`, {code: error.code, cause: error});
  }
}

/**
 * @param {Record<string, any>} values settings
 * @param {readonly CellRecord[]} records
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>} what was written
 */
async function writeExports({exports: formats, results}, records, signal) {
  const {dir, name} = parse(results);
  const paths = [];
  if (formats?.includes('endurox'))
    paths.push(...(await writeEnduroxData(join(dir, 'endurox'), records, {signal})));
  if (formats?.includes('hlog')) {
    const path = join(dir, `${name}.hlog`);
    await writeHistogramLog(path, records, {signal});
    paths.push(path);
  }
  return paths;
}

/**
 * @param {readonly CellRecord[]} records
 * @param {import('../battle/battle.js').BattleState} state
 */
function exitCodeOf(records, {progress}) {
  const codes = [...progress.values()].map(({error}) => error?.exitCode ?? 0);
  if (codes.includes(3)) return 3;
  const isWrong = records.some(
    (record) => record.outcome === 'completed' && record.counts.lost + record.counts.corrupted > 0,
  );
  return isWrong || records.some(({outcome}) => outcome !== 'completed') ? 1 : 0;
}
