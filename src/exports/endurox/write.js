import {join} from 'node:path';
import {UsageError} from '../../errors.js';
import {makeFolders} from '../../files/folders.js';
import {explainFileError, updateFile} from '../../files/writable-file.js';
import {enduroxRows, replaceConfigurations} from './data.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {EnduroxRow} from './data.js'
 */

/**
 * Writes the completed records into data files of the Enduro/X benchmark. Existing rows of the same configurations are replaced; everything
 * else in the files stays.
 *
 * @param {string} folder created if it is missing
 * @param {readonly CellRecord[]} records at most one for each cell: the newest
 * @param {{configuration?: string | null, signal: AbortSignal}} how configuration: its name, in place of environment and machine; signal:
 *   ends the wait for another process that updates a file
 * @returns {Promise<string[]>} the paths of the files; none when no cell completed
 * @throws {UsageError} if a file there is something else; it stays unchanged
 * @throws {RunError} if the folder or a file cannot be written
 */
export async function writeEnduroxData(folder, records, {configuration = null, signal}) {
  const rowsByFile = enduroxRows(records, configuration);
  if (rowsByFile.size > 0) await makeFolder(folder);
  const paths = [];
  for (const [name, rows] of rowsByFile) {
    const path = join(folder, `${name}.txt`);
    await updateFile(path, (text) => replaceIn(path, text, rows), {signal});
    paths.push(path);
  }
  return paths;
}

/** @param {string} folder */
async function makeFolder(folder) {
  try {
    await makeFolders(folder);
  } catch (error) {
    throw explainFileError(folder, error);
  }
}

/** @param {string} path @param {string} text @param {readonly EnduroxRow[]} rows */
function replaceIn(path, text, rows) {
  try {
    return replaceConfigurations(text, rows);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new UsageError(`Cannot update ${path}: ${cause.message}`, {cause});
  }
}
