import {statSync} from 'node:fs';
import {resolve} from 'node:path';
import {counted, formatMinute} from '../columns/names.js';
import {RunError, UsageError} from '../errors.js';
import {readGivenText} from '../files/given-file.js';
import {maskPassword, quote} from '../files/quote.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {newestOutcomes} from '../results/newest-records.js';
import {readJournalRecords, readRecords} from '../results/read-records.js';
import {parseSafely} from '../safe-text.js';

/**
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {Entry} from '../results/types.js'
 * @import {Side} from './types.js'
 */

/** @typedef {{battleId: string, startedAt: string, cells: number}} BattleOfJournal */

/** A document of --json is read as a single string. */
const maxDocumentBytes = 256 * 1024 ** 2;

/**
 * Reads a side by its name: a journal or its results.md, a battle in such a file (`results.ndjson#1a2b3c4d`), a document of --json, or a battle in
 * the journal of --results, by the beginning of its id or as `latest` or `previous`. In a whole file, the newest record of each cell counts,
 * even if the cell failed.
 * @param {string} text
 * @param {{results: string, warn: (warning: string) => void, needsFigures?: boolean}} own results: the file of --results; needsFigures: `latest` and
 *   `previous` skip battles without a completed cell
 * @returns {Promise<Side>} @throws {UsageError} when the text names neither a file nor a battle @throws {RunError} when no battle has results yet
 */
export async function readSide(text, {results, warn, needsFigures = false}) {
  const [path, id] = splitBattle(text);
  const how = {warn, needsFigures};
  if (isFile(path)) return {...(await readFile(path, id, how)), isOfResults: false};
  if (id !== null) throw new UsageError(`${quote(path)} is not a file.`);
  const journal = journalPathFor(results);
  if (!isFile(journal) && isByTime(text)) throw noResults(journal);
  if (!isFile(journal))
    throw new UsageError(`${quote(text)} is not a file, and there is no journal ${maskPassword(journal)}.`);
  return {...(await readFile(journal, text, how)), isOfResults: true};
}

/** @param {string} text */
function isByTime(text) {
  return text === 'latest' || text === 'previous';
}

/**
 * The error of each command that reads the journal before a battle has written results there.
 * @param {string} journal the journal's path
 * @param {{what?: string, battles?: readonly Entry[], trials?: readonly Entry[], records?: readonly (Entry | CellRecord)[]}} [found] what: describes the wanted
 *   cells; battles and trials: the lines of the journal; records: those of the cells
 */
export function noResults(journal, {what = '', battles = [], trials = [], records = []} = {}) {
  const path = maskPassword(journal);
  const state = isFile(journal) ? `has no completed cell${what} yet` : 'does not exist yet';
  const battle = battles.findLast(({cells}) => cells !== undefined);
  const {id, cells, config} = battle ?? /** @type {Partial<Entry>} */ ({});
  const own = records.filter(({battleId}) => battleId === id);
  const size = Array.isArray(cells) ? cells.length : null;
  if (own.length === size && own.every(({outcome}) => outcome !== 'aborted'))
    return new RunError(
      own.some(({outcome}) => outcome === 'completed')
        ? `${path} has no completed cell apart from the sides of the battle ${id}. For those: perf-battle report ${id}${optionOf(config)}`
        : `${path} ${state}: no cell of the battle ${id} was completed. The error of each is in the journal. Correct the cause, and run perf-battle again.`,
    );
  const stored = trials.filter(({battleId}) => battleId === id).length;
  if (stored === 0)
    return new RunError(`${path} ${state}. Run perf-battle first, or name another file with --results.`);
  const ofCells = size === null ? '' : ` of ${counted(size, 'cell')}`;
  return new RunError(
    `${path} ${state}: the battle ${id} was interrupted, or still runs. ${counted(stored, 'trial')}${ofCells} ${stored === 1 ? 'is' : 'are'} stored. To continue: perf-battle --resume${optionOf(config)}`,
  );
}

/** The option that a battle needs to be found again. @param {unknown} config of the journal, unchecked */
function optionOf(config) {
  const {results = 'results.md'} = /** @type {{results?: unknown}} */ (config ?? {});
  return results === 'results.md' ? '' : ` --results ${maskPassword(String(results))}`;
}

/** @param {string} text @returns {[path: string, battle: string | null]} */
function splitBattle(text) {
  const at = text.lastIndexOf('#');
  return at === -1 || isFile(text) ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} path */
function isFile(path) {
  return statSync(path, {throwIfNoEntry: false})?.isFile() ?? false;
}

/**
 * @param {string} path a journal, a results file or a document @param {string | null} id the id of a battle; null for the whole file
 * @param {{warn: (warning: string) => void, needsFigures: boolean}} how
 */
async function readFile(path, id, {warn, needsFigures}) {
  const {source, records, battles, trials} = await readResults(path, warn);
  const side = sideOf(records, {path, source: resolve(source), id, needsFigures, battles, trials});
  const [{battleId}] = side.records;
  return {...side, battle: id === null ? null : (battles.find((one) => one.id === battleId) ?? null)};
}

/**
 * Reads all records and battles of a journal, a results file or a document of --json.
 * @param {string} path @param {(warning: string) => void} warn called for each line that cannot be used
 * @returns {Promise<{source: string, records: CellRecord[], battles: Entry[], trials: Entry[]}>} source: the file that was read; battles and trials:
 *   unchecked
 * @throws {UsageError} when the file does not exist
 */
export async function readResults(path, warn) {
  if (!isFile(path)) throw new UsageError(`${quote(path)} is not a file.`);
  const isDocument = /\.json$/i.test(path);
  const source = isDocument || /\.ndjson$/i.test(path) ? path : journalPathFor(path);
  if (!isFile(source)) throw new UsageError(`${path} has no journal: ${source} does not exist.`);
  const {records, battles, trials, warnings} = isDocument
    ? readDocument(path)
    : await readJournalRecords(new Journal(source));
  for (const warning of warnings) warn(warning);
  return {source, records, battles, trials};
}

/** @param {string} path a document of --json, with one battle or several */
function readDocument(path) {
  try {
    const document = parseSafely(readGivenText(path, {maxBytes: maxDocumentBytes}));
    /** @type {{battle?: Entry, cells: Entry[]}[]} */
    const parts = document.cells === undefined ? document.battles : [document];
    const battles = parts.flatMap(({battle}) => battle ?? []);
    return {...readRecords(parts.flatMap(({cells}) => cells)), battles, trials: []};
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${path} is not a document that --json printed.`, {cause});
  }
}

/**
 * @param {readonly CellRecord[]} records
 * @param {{path: string, source: string, id: string | null, needsFigures: boolean, battles: readonly Entry[], trials: readonly Entry[]}} what
 */
function sideOf(records, {path, source, id, needsFigures, battles, trials}) {
  if (id === null) {
    if (records.length === 0) throw new UsageError(`${path} has no records of cells.`);
    return {name: path, source, records: newestOfCells(records), all: records};
  }
  const withCells = battlesOf(records, needsFigures);
  if (withCells.length === 0 && isByTime(id)) throw noResults(path, {battles, trials, records});
  const {battleId, startedAt} = battleNamed(id, withCells, path);
  const ofBattle = records.filter((record) => record.battleId === battleId);
  const name = `battle ${battleId} of ${path}, ${formatMinute(startedAt)}`;
  return {name, source: `${source}#${battleId}`, records: ofBattle, all: ofBattle};
}

/**
 * The records of a side that count: all records of a single battle; for several battles, the newest record of each cell.
 * @param {readonly CellRecord[]} records in the order of the journal
 */
export function newestOfCells(records) {
  const battles = new Set(records.map(({battleId}) => battleId));
  return battles.size === 1 ? records : newestOutcomes(records);
}

/** @param {string} id @param {readonly BattleOfJournal[]} battles @param {string} file */
function battleNamed(id, battles, file) {
  const words = {latest: battles.at(-1), previous: battles.at(-2)};
  const named =
    id === 'latest' || id === 'previous'
      ? [words[id]]
      : battles.filter((one) => id !== '' && one.battleId.startsWith(id));
  const [found, ...others] = named;
  if (found !== undefined && others.length === 0) return found;
  if (id === 'previous' && battles.length === 1)
    throw new UsageError(`${file} has a single battle, ${battles[0].battleId}, so there is none before it.`);
  const what = named.length > 1 ? 'begins the ids of several battles' : 'is neither a file nor a battle';
  const known = battles
    .slice(-5)
    .map((one) => `${one.battleId} (${formatMinute(one.startedAt)}, ${one.cells} cells)`);
  const list = known.length === 0 ? 'none' : known.join(', ');
  throw new UsageError(`${quote(id)} ${what} of ${file}. Its newest battles: ${list}.`);
}

/**
 * The battles with records, in the order of the journal.
 * @param {readonly CellRecord[]} records @param {boolean} needsFigures omits battles without a completed cell
 */
function battlesOf(records, needsFigures) {
  /** @type {Map<string, BattleOfJournal>} */
  const battles = new Map();
  for (const {battleId, startedAt, outcome} of records) {
    const known = battles.get(battleId) ?? {battleId, startedAt, cells: 0};
    battles.set(battleId, {...known, cells: known.cells + (outcome === 'completed' ? 1 : 0)});
  }
  return [...battles.values()].filter(({cells}) => cells > 0 || !needsFigures);
}
