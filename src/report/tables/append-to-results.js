import {updateFile} from '../../files/writable-file.js';
import {editMarkdown} from '../edit-markdown.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {CellRecord} from '../../results/record-schema.js'
 */

/**
 * Appends the completed cells of a battle to the results file.
 * @param {string} path
 * @param {readonly CellRecord[]} records
 * @param {{others: readonly CellRecord[], onlyMissing: boolean, signal: AbortSignal}} how others: of earlier battles, whose rows the file has;
 *   onlyMissing: leave out rows that the file already has; signal: ends the wait while another battle holds the file, and the edit
 * @returns {Promise<number>} how many rows were appended
 * @throws {RunError} when the file cannot be written; the journal has the records
 */
export async function appendToResults(path, records, {others, onlyMissing, signal}) {
  let appended = 0;
  const append = async (/** @type {string} */ markdown) => {
    const given = {records, others, onlyMissing};
    const edited = await editMarkdown('rows', given, {path, markdown, signal});
    appended = edited.appended;
    return edited.text;
  };
  await updateFile(path, append, {signal});
  return appended;
}
