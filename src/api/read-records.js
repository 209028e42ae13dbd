import {readSide} from '../compare/read-side.js';

/** @import {CellRecord} from '../results/record-schema.js' */

/**
 * The records of a journal, of the journal beside a results file, of a document that --json printed, or of one battle
 * (`results.ndjson#1a2b3c4d`, or `latest` for the newest one of `results.ndjson`).
 *
 * @param {string} [path]
 * @param {{onWarning?: (warning: string) => void}} [options] onWarning: gets a sentence for each line that cannot be used
 * @returns {Promise<readonly CellRecord[]>} in their order
 * @throws {UsageError} when it is neither a file nor a battle
 */
export async function readRecords(path = 'results.ndjson', {onWarning = () => {}} = {}) {
  const {all} = await readSide(path, {results: 'results.md', warn: onWarning});
  return all;
}
