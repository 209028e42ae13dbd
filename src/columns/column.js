/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * One column of the table that a battle prints. A record's workload chooses its columns; `standing` is how the record compares with the
 * fastest one of the same payload.
 *
 * @typedef {object} Column
 * @property {string} heading
 * @property {(record: CompletedRecord, standing: string) => string} cell
 * @property {(records: readonly CompletedRecord[]) => boolean} [isShown] whether a table of these records has the column; always, unless
 *   given
 */
