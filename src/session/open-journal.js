import {stat} from 'node:fs/promises';
import {basename, resolve} from 'node:path';
import {guaranteesIn} from '../battle/guarantees.js';
import {RunError, UsageError} from '../errors.js';
import {exportFormats} from '../exports/index.js';
import {maskPassword} from '../files/quote.js';
import {assertWritable, resolveTarget} from '../files/writable-file.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {claimBattle} from './plan-battle.js';
import {battlesIn, checkBattles, isFinished, recordKilledBattles} from './recorded-battles.js';

/**
 * @import {JournalEntry} from '../battle/types.js'
 * @import {CodeOf} from '../errors.js'
 * @import {RecordedBattle} from './types.js'
 */

/**
 * Opens the journal next to a results file, and reads its battles and the guarantees that runs of faults have measured.
 * @param {string} results @param {(warning: string) => void} warn receives a sentence for each line that cannot be used
 */
export async function openJournal(results, warn) {
  /** @type {Journal<JournalEntry>} */
  const journal = new Journal(journalPathFor(resolve(results)));
  const {battles, guarantees, warnings} = await readBattles(journal);
  for (const warning of warnings) warn(warning);
  return {journal, battles, guarantees};
}

/** @param {Pick<Journal<JournalEntry>, 'read'>} journal */
async function readBattles(journal) {
  const {entries, warnings} = await journal.read();
  const recorded = battlesIn(/** @type {JournalEntry[]} */ (entries));
  const {battles, warnings: malformed} = await checkBattles(recorded);
  return {battles, guarantees: guaranteesIn(entries), warnings: [...warnings, ...malformed]};
}

/**
 * Checks that a battle can write its files, makes this process the owner of the resumed battle, and completes the records of killed battles.
 * @param {Journal<JournalEntry>} journal @param {readonly RecordedBattle[]} battles
 * @param {{results: string, resumed?: string | null, exports?: readonly string[] | null, signal?: AbortSignal}} battle resumed: the id of the
 *   resumed battle
 */
export async function prepareFiles(journal, battles, {results, resumed = null, exports = null, signal}) {
  const own = [
    {what: 'results', path: results},
    {what: 'journal', path: journal.path},
  ];
  await refuseOneFile([...own, ...exportedFiles(results, exports)]);
  await refuseSharedJournal(results, journal.path, battles);
  const markdown = await ofResults(() => assertWritable(results));
  if (markdown !== '') {
    const {refuseSlowMarkdown} = await import('../report/edit-markdown.js');
    await refuseSlowMarkdown(results, markdown, signal);
  }
  await ofResults(() => journal.assertWritable());
  if (battles.every(isFinished)) return;
  // Another process may have written since the journal was read.
  await journal.exclusively(async (held) => {
    const {battles: now} = await readBattles(held);
    const ofId = (/** @type {RecordedBattle} */ {battle}) => battle.id === resumed;
    const before = battles.find(ofId);
    if (before) await claimBattle(before, held, now.find(ofId));
    await recordKilledBattles(held, now, {except: resumed});
  });
}

/**
 * Names the option of the files that cannot be written.
 * @template Result
 * @param {() => Promise<Result>} action @returns {Promise<Result>} @throws {RunError}
 */
export async function ofResults(action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const code = /** @type {CodeOf<1>} */ (error.code);
    throw new RunError(`${error.message} --results names the file.`, {code, cause: error});
  }
}

/**
 * Refuses results whose journal belongs to another results file: h and h.md both have the journal h.ndjson.
 * @param {string} results @param {string} journalPath @param {readonly RecordedBattle[]} battles of the journal
 */
async function refuseSharedJournal(results, journalPath, battles) {
  const other = results.endsWith('.md') ? results.slice(0, -'.md'.length) : `${results}.md`;
  const isOfOther = battles.some(
    ({battle: {config}}) => basename(String(config.results)) === basename(other),
  );
  const isThere = isOfOther && ((await stat(other).catch(() => null))?.isFile() ?? false);
  if (isThere)
    throw new UsageError(
      `The journal ${maskPassword(journalPath)} is that of ${maskPassword(other)}. Name another file with --results.`,
    );
}

/** Refuses paths that links make the same file. @param {readonly {what: string, path: string}[]} files */
async function refuseOneFile(files) {
  /** @type {Map<string, {what: string, path: string}>} */
  const known = new Map();
  for (const file of files) {
    const identity = await identityOf(file.path);
    const other = known.get(identity);
    if (other)
      throw new UsageError(
        `The ${other.what} ${other.path} and the ${file.what} ${file.path} are the same file. Name another file with --results, or remove the link.`,
      );
    known.set(identity, file);
  }
}

/** Identifies a file, even if the path is a link to a file that does not exist yet. @param {string} path */
async function identityOf(path) {
  const stats = await stat(path).catch(() => null);
  if (stats !== null) return `${stats.dev} ${stats.ino}`;
  // The code that writes the file reports a wrong path.
  return await resolveTarget(path).catch(() => path);
}

/** @param {string} results @param {readonly string[] | null} exports names of formats */
function exportedFiles(results, exports) {
  return exportFormats.flatMap(({name, fileFor}) =>
    exports?.includes(name) && fileFor ? {what: 'export', path: fileFor(results)} : [],
  );
}
