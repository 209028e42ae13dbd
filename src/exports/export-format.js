/** @import {CellRecord} from '../results/record-schema.js' */

/**
 * A file format that records can be exported to besides results.md. docs/architecture.md says how to add one.
 *
 * @typedef {object} ExportFormat
 * @property {string} name as --export takes it
 * @property {string} summary what is written and where
 * @property {(resultsPath: string, records: readonly CellRecord[], how: {signal: AbortSignal}) => Promise<string[]>} write the paths of the
 *   files that were written
 */
