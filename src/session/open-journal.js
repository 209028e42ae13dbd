import {stat} from 'node:fs/promises';
import {resolve} from 'node:path';
import {UsageError} from '../errors.js';
import {assertWritable} from '../files/update-file.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {checkBattles} from './check-battles.js';
import {battlesIn, isFinished, recordKilledBattles} from './recorded-battles.js';

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
  const {entries, warnings} = await journal.read();
  const recorded = battlesIn(/** @type {JournalEntry[]} */ (entries));
  const {battles, warnings: malformed} = await checkBattles(recorded, isFinished);
  for (const warning of [...warnings, ...malformed]) warn(warning);
  return {journal, battles};
}

/**
 * Checks that a battle can write its files, and completes the records of killed battles.
 * @param {Journal<JournalEntry>} journal
 * @param {readonly RecordedBattle[]} battles
 * @param {{results: string, resumed?: string | null}} battle resumed: its id
 */
export async function prepareFiles(journal, battles, {results, resumed = null}) {
  await refuseOneFile(results, journal.path);
  await assertWritable(results);
  await journal.assertWritable();
  await recordKilledBattles(journal, battles, {except: resumed});
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
