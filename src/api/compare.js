import {compareSides} from '../compare/compare-sides.js';
import {newestOfCells, readSide} from '../compare/read-side.js';
import {comparisonDocument} from '../report/tables/comparison-table.js';

/**
 * @import {CellRecord} from '../results/record-schema.js'
 */

/**
 * @typedef {string | readonly CellRecord[] | {cells: readonly CellRecord[]}} ComparedSide a file or a battle, as `perf-battle compare` takes it;
 *   records; or what `battle()` resolves with
 *
 * @typedef {ReturnType<typeof comparisonDocument>} ComparisonDocument what `perf-battle compare --json` prints
 */

/**
 * Compares two battles cell by cell, as `perf-battle compare` does.
 *
 * @param {ComparedSide} [old] by default the battle before the newest one of the journal
 * @param {ComparedSide} [now] by default the newest one
 * @param {{results?: string, onWarning?: (warning: string) => void}} [options] results: the file beside the journal; onWarning: gets a
 *   sentence for each line of a journal that cannot be used
 * @returns {Promise<ComparisonDocument>}
 * @throws {UsageError} when a side is neither a file nor a battle
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

/**
 * @param {ComparedSide} given
 * @param {string} name
 * @param {{results: string, warn: (warning: string) => void}} where
 */
async function sideOf(given, name, where) {
  if (typeof given === 'string') return await readSide(given, where);
  const records = 'cells' in given ? given.cells : given;
  return {name, records: newestOfCells(records), all: records};
}
