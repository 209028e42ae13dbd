/**
 * @import {Option} from '../options/option.js'
 * @import {CellRecord} from '../results/record-schema.js'
 */

/**
 * A file format that records can be exported to besides results.md. CONTRIBUTING.md says how to add one.
 *
 * @typedef {object} ExportFormat
 * @property {string} name as --export takes it
 * @property {boolean} [isReplaced] whether the file of one battle replaces that of the battle before
 * @property {string} summary what is written and where
 * @property {(resultsPath: string) => string} [fileFor] the only file that it writes, if it is known beforehand
 * @property {boolean} [hasConfiguration] whether its rows have the name of a configuration, which --export-configuration sets
 * @property {ChartFiles} [chartFiles] how `perf-battle chart` draws files of this format
 * @property {(resultsPath: string, records: readonly CellRecord[], how: ExportHow) => Promise<string[]>} write the paths of the
 *   files that were written
 *
 * @typedef {object} ChartFiles
 * @property {Option} option of `chart`: the paths of the files, a list
 * @property {(content: string) => Promise<{configuration: string, size: number, callsPerSecond: number}[]>} parse size: of a message, in KB of 1024
 *   bytes; throws a UsageError if the content is not of this format
 *
 * @typedef {object} ExportHow
 * @property {string | null} configuration the name that a person gave the configuration, for formats that have one; null: the format makes one
 * @property {AbortSignal} signal ends the wait for another process that updates a file
 */
