import {stat} from 'node:fs/promises';
import {basename, resolve} from 'node:path';
import {UsageError} from '../errors.js';
import {maskPassword} from '../files/mask-password.js';
import {assertWritable} from '../files/update-file.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {checkBattles} from './check-battles.js';
import {battlesIn, isFinished, recordKilledBattles} from './recorded-battles.js';
import {claimBattle} from './resume-battle.js';

/**
 * @import {JournalEntry} from '../battle/journal-entries.js'
 * @import {RecordedBattle} from './recorded-battles.js'
 */

/**
 * Opens the journal beside a results file and reads its battles.
 * @param {string} results
 * @param {(warning: string) => void} warn gets a sentence for each line that cannot be used
 */
export async function openJournal(results, warn) {
  /** @type {Journal<JournalEntry>} */
  const journal = new Journal(journalPathFor(resolve(results)));
  const {battles, warnings} = await readBattles(journal);
  for (const warning of warnings) warn(warning);
  return {journal, battles};
}

/** @param {Pick<Journal<JournalEntry>, 'read'>} journal */
async function readBattles(journal) {
  const {entries, warnings} = await journal.read();
  const recorded = battlesIn(/** @type {JournalEntry[]} */ (entries));
  const {battles, warnings: malformed} = await checkBattles(recorded, isFinished);
  return {battles, warnings: [...warnings, ...malformed]};
}

/**
 * Checks that a battle can write its files, makes this process the owner of the one that is resumed, and completes the records of killed ones.
 * @param {Journal<JournalEntry>} journal
 * @param {readonly RecordedBattle[]} battles
 * @param {{results: string, resumed?: string | null}} battle resumed: its id
 */
export async function prepareFiles(journal, battles, {results, resumed = null}) {
  await refuseOneFile(results, journal.path);
  await refuseSharedJournal(results, journal.path, battles);
  await assertWritable(results);
  await journal.assertWritable();
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
 * Results without an ending have the journal of those with .md beside them: h.ndjson for h and for h.md.
 * @param {string} results
 * @param {string} journalPath
 * @param {readonly RecordedBattle[]} battles of that journal
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

/**
 * A link can make the table and the journal one file.
 * @param {string} results
 * @param {string} journalPath
 */
async function refuseOneFile(results, journalPath) {
  const [table, journal] = await Promise.all(
    [results, journalPath].map((path) => stat(path).catch(() => null)),
  );
  if (table === null || table.ino !== journal?.ino || table.dev !== journal.dev) return;
  throw new UsageError(
    `The results ${results} and the journal ${journalPath} are the same file. Name another file with --results.`,
  );
}
