import {updateFile} from '../files/update-file.js';
import {missingRows} from './missing-rows.js';
import {resultRows} from './result-rows.js';
import {appendResultRows} from './results-table.js';

/**
 * Appends the completed cells of a battle to the results file.
 * @param {string} path
 * @param {readonly import('../results/record-schema.js').CellRecord[]} records
 * @param {{onlyMissing: boolean, signal: AbortSignal}} how onlyMissing: leave out rows that are there already, figures and all;
 *   signal: ends the wait for another battle's turn
 * @returns {Promise<number>} how many rows were appended
 * @throws {import('../errors.js').RunError} when the file cannot be written; the journal has the records
 */
export async function appendToResults(path, records, {onlyMissing, signal}) {
  const rows = resultRows(records);
  let appended = 0;
  const append = (/** @type {string} */ markdown) => {
    const wanted = onlyMissing ? missingRows(markdown, rows) : rows;
    appended = wanted.length;
    return appendResultRows(markdown, wanted);
  };
  await updateFile(path, append, {signal});
  return appended;
}
