import {updateFile} from '../../files/update-file.js';
import {missingRows} from './missing-rows.js';
import {resultRows} from './result-rows.js';
import {appendResultRows} from './results-table.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {CellRecord} from '../../results/record-schema.js'
 */

/**
 * Appends the completed cells of a battle to the results file.
 * @param {string} path
 * @param {readonly CellRecord[]} records
 * @param {{others: readonly CellRecord[], onlyMissing: boolean, signal: AbortSignal}} how others: of earlier battles, whose rows the file has;
 *   onlyMissing: leave out rows that the file already has; signal: ends the wait while another battle holds the file
 * @returns {Promise<number>} how many rows were appended
 * @throws {RunError} when the file cannot be written; the journal has the records
 */
export async function appendToResults(path, records, {others, onlyMissing, signal}) {
  const tables = [...resultRows(records, others).values()];
  let appended = 0;
  const append = (/** @type {string} */ markdown) => {
    appended = 0;
    return tables.reduce((text, {kind, rows}) => {
      const wanted = onlyMissing ? missingRows(text, rows, kind) : rows;
      appended += wanted.length;
      return appendResultRows(text, wanted, kind);
    }, markdown);
  };
  await updateFile(path, append, {signal});
  return appended;
}
