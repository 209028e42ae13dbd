import {compareSides} from '../compare/compare-sides.js';
import {newestOfCells, readSide} from '../compare/read-side.js';
import {comparisonDocument} from '../report/tables/comparison-table.js';

/**
 * What `import … from 'perf-battle'` gives: battles, comparisons and records for other programs (docs/api.md).
 *
 * @import * as Runs from './runs.js'
 * @import * as Faults from '../session/faults/conduct-faults.js'
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
 * The records of a journal, of the journal beside a results file, of a document that --json printed, or of one battle
 * (`results.ndjson#1a2b3c4d`, or `latest` for the newest one of `results.ndjson`).
 * @param {string} [path]
 * @param {{onWarning?: (warning: string) => void}} [options] onWarning: gets a sentence for each line that cannot be used
 * @returns {Promise<readonly CellRecord[]>} in their order
 * @throws {UsageError} when it is neither a file nor a battle
 */
export async function readRecords(path = 'results.ndjson', {onWarning = () => {}} = {}) {
  const {all} = await readSide(path, {results: 'results.md', warn: onWarning});
  return all;
}

/**
 * @typedef {string | readonly CellRecord[] | {cells: readonly CellRecord[]}} ComparedSide a file or a battle, as `perf-battle compare` takes it;
 *   records; or what `battle()` resolves with
 *
 * @typedef {ReturnType<typeof comparisonDocument>} ComparisonDocument what `perf-battle compare --json` prints
 */

/**
 * Compares two battles cell by cell, as `perf-battle compare` does.
 * @param {ComparedSide} [old] by default the battle before the newest one of the journal
 * @param {ComparedSide} [now] by default the newest one
 * @param {{results?: string, onWarning?: (warning: string) => void}} [options] results: the file beside the journal; onWarning: gets a
 *   sentence for each line of a journal that cannot be used
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
