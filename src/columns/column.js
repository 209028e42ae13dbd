/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * One column of the table on a terminal. Each workload chooses its columns. `standing` says how a record compares with the fastest one of
 * the same payload.
 *
 * @typedef {object} Column
 * @property {string} heading
 * @property {(record: CompletedRecord, standing: string) => string} cell
 * @property {(records: readonly CompletedRecord[]) => boolean} [isShown] whether a table of these records has the column; always, unless
 *   given
 */
