import {compareSides} from '../compare/compare-sides.js';
import {newestOfCells, readSide} from '../compare/read-side.js';
import {comparisonDocument} from '../report/tables/comparison-table.js';

/**
 * The exports of `perf-battle`: battles, comparisons and records for other programs (docs/api.md).
 *
 * @import * as Runs from './runs.js'
 * @import * as Faults from '../session/faults/types.js'
 * @import * as Given from '../settings/given.js'
 * @import * as Records from '../results/record-schema.js'
 *
 * @typedef {Runs.Battle} Battle
 * @typedef {Runs.BattleDocument} BattleDocument
 * @typedef {Given.GivenSettings} BattleSettings
 * @typedef {Faults.FaultsDocument} FaultsDocument
 * @typedef {Given.GivenFaultSettings} FaultSettings
 * @typedef {Runs.ProgressEvent} ProgressEvent
 * @typedef {Records.CellRecord} CellRecord
 * @typedef {Records.CompletedRecord} CompletedRecord
 */

export {InterruptedError, PerfBattleError, RunError, UnavailableError, UsageError} from '../errors.js';
export {battle, faults} from './runs.js';

/**
 * Reads the records of a journal, of the journal next to a results file, of a document that --json printed, or of one battle.
 * @param {string} [path] a file; a battle such as `results.ndjson#1a2b3c4d`; or `latest` for the newest battle of `results.ndjson`
 * @param {{onWarning?: (warning: string) => void}} [options] onWarning: receives a sentence for each line that cannot be used
 * @returns {Promise<readonly CellRecord[]>} in the order of the file
 * @throws {UsageError} when the path is neither a file nor a battle
 */
export async function readRecords(path = 'results.ndjson', {onWarning = () => {}} = {}) {
  const {all} = await readSide(path, {results: 'results.md', warn: onWarning});
  return all;
}

/**
 * @typedef {string | readonly CellRecord[] | {cells: readonly CellRecord[]}} ComparedSide an argument of `perf-battle compare`; records; or
 *   the result of `battle()`
 *
 * @typedef {ReturnType<typeof comparisonDocument>} ComparisonDocument the document of `perf-battle compare --json`
 */

/**
 * Compares two battles cell by cell, as `perf-battle compare` does.
 * @param {ComparedSide} [old] by default the second newest battle of the journal
 * @param {ComparedSide} [now] by default the newest battle of the journal
 * @param {{results?: string, onWarning?: (warning: string) => void}} [options] results: the file next to the journal; onWarning: receives
 *   a sentence for each line of a journal that cannot be used
 * @returns {Promise<ComparisonDocument>} @throws {UsageError} when a side is neither a file nor a battle
 */
export async function compare(old = 'previous', now = 'latest', {results = 'results.md', onWarning} = {}) {
  const where = {results, warn: onWarning ?? (() => {})};
  const sides = {old: await sideOf(old, 'old', where), new: await sideOf(now, 'new', where)};
  const comparisons = compareSides(sides.old.records, sides.new.records, {
    old: sides.old.all,
    new: sides.new.all,
  });
  return comparisonDocument({names: {old: sides.old.name, new: sides.new.name}, comparisons});
}

/** @param {ComparedSide} given @param {string} name @param {{results: string, warn: (warning: string) => void}} where */
async function sideOf(given, name, where) {
  if (typeof given === 'string') return await readSide(given, where);
  const records = 'cells' in given ? given.cells : given;
  return {name, records: newestOfCells(records), all: records};
}
