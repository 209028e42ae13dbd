import {updateFile} from '../../files/update-file.js';
import {formatHistogramLog, histogramLogEntries} from './log.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {HistogramLogEntry} from './log.js'
 */

/**
 * Writes the round trips of all trials that count into an HdrHistogram interval log, replacing the file.
 *
 * @param {string} path
 * @param {readonly CellRecord[]} records
 * @param {{signal: AbortSignal}} how signal: ends the wait for another process that writes the file
 * @returns {Promise<number>} how many intervals were written; if there are none, the file stays unchanged
 * @throws {RunError} if the file cannot be written; it stays unchanged
 */
export async function writeHistogramLog(path, records, {signal}) {
  const entries = histogramLogEntries(records);
  if (entries.length === 0) return 0;
  const log = formatHistogramLog({startedAt: earliestStart(entries), entries});
  await updateFile(path, () => log, {signal});
  return entries.length;
}

/** @param {readonly HistogramLogEntry[]} entries at least one @returns {string} ISO 8601 */
function earliestStart(entries) {
  return new Date(Math.min(...entries.map(({startedAt}) => Date.parse(startedAt)))).toISOString();
}
