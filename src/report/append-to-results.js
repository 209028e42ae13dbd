import {updateFile} from '../files/update-file.js';
import {resultRows} from './result-rows.js';
import {appendResultRows} from './results-table.js';

/**
 * Appends the completed cells of a battle to the results file.
 * @param {string} path
 * @param {readonly import('../results/record-schema.js').CellRecord[]} records
 * @param {AbortSignal} [signal] ends the wait for another battle's turn
 * @returns {Promise<number>} how many rows there were
 * @throws {import('../errors.js').RunError} when the file cannot be written; the journal has the records
 */
export async function appendToResults(path, records, signal) {
  const rows = resultRows(records);
  await updateFile(path, (markdown) => appendResultRows(markdown, rows), {signal});
  return rows.length;
}
