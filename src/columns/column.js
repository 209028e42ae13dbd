/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * One column of the table on a terminal. Each workload chooses its columns.
 *
 * @typedef {object} Column
 * @property {string} heading
 * @property {number} priority 0 is always shown; of the others, a table that is too wide shows those with the lower number first
 * @property {(record: CompletedRecord, standing: Standing) => string} cell with no more digits than its interval justifies
 * @property {{heading: string, cell: (record: CompletedRecord, standing: Standing) => string}} [inDetail] how `--detail` shows it, if that
 *   is different: with both ends of an interval
 * @property {(records: readonly CompletedRecord[]) => boolean} [isShown] whether a table of these records has the column; always, unless
 *   given
 */

/**
 * How many times the time of another cell a cell takes.
 *
 * @typedef {object} Ratio
 * @property {number} ratio
 * @property {[low: number, high: number] | null} [ratioCi95] its 95 % confidence interval; undefined in old records
 * @property {{status: 'valid' | 'wide' | 'suspect'} | null} [verdict] on the ratio; null or undefined in old records
 */

/**
 * How a cell compares with the fastest transport of the same table and payload; null if that is not known.
 *
 * @typedef {'floor' | 'fastest' | Ratio | null} Standing
 */
