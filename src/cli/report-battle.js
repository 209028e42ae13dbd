import {RunError} from '../errors.js';
import {appendToResults} from '../report/append-to-results.js';
import {printTable} from '../report/battle-table.js';

/** @typedef {import('../results/record-schema.js').CellRecord} CellRecord */

/**
 * Shows what a battle found and appends its rows. The table comes first: it must be seen also when the results file cannot be
 * written any more. The journal then has the records, and --resume appends the rows.
 *
 * @param {readonly CellRecord[]} records
 * @param {import('./fight.js').Run} run
 * @returns {Promise<number>} the exit code
 * @throws {RunError} when the rows could not be appended
 */
export async function report(records, {state, settings, context, journal, signal}) {
  const {json, quiet, results} = settings.values;
  const stream = json ? process.stderr : process.stdout;
  if (!quiet) printTable(records, context, stream);
  if (json) process.stdout.write(`${JSON.stringify({battle: {id: state.id, ...context}, cells: records})}\n`);
  const rows = await appendRows(results, records, settings.values.resume, signal);
  await journal.append({kind: 'rows', battleId: state.id, results, rows});
  if (!quiet && rows > 0) stream.write(`${rows} row${rows === 1 ? '' : 's'} appended to ${results}.\n`);
  return exitCodeOf(records, state);
}

/**
 * @param {string} results
 * @param {readonly CellRecord[]} records
 * @param {boolean} resumed a battle that goes on may have been killed right after its rows were written
 * @param {AbortSignal} signal
 */
async function appendRows(results, records, resumed, signal) {
  try {
    return await appendToResults(results, records, {onlyMissing: resumed, signal});
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    throw new RunError(
      `${error.message} The journal has all records; perf-battle --resume appends the rows.`,
      {
        code: error.code,
        cause: error,
      },
    );
  }
}

/**
 * @param {readonly CellRecord[]} records
 * @param {import('../battle/battle.js').BattleState} state
 */
function exitCodeOf(records, {progress}) {
  const codes = [...progress.values()].map(({error}) => error?.exitCode ?? 0);
  if (codes.includes(3)) return 3;
  const lost = records.some((record) => record.outcome === 'completed' && record.counts.lost > 0);
  return lost || records.some(({outcome}) => outcome !== 'completed') ? 1 : 0;
}
