import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {RunError, UsageError} from '../errors.js';
import {exitCodeOfJudgements, judgeExpectations} from '../expect/judge.js';
import {readGivenFile} from '../files/given-file.js';
import {maskPassword} from '../files/mask-password.js';
import {maxMarkdownBytes, updateFile} from '../files/update-file.js';
import {allPresets, presetNames, presets} from '../presets/index.js';
import {recordsCsv} from '../report/csv.js';
import {editMarkdown} from '../report/edit-markdown.js';
import {isForPrograms, printForPrograms} from '../report/for-programs.js';
import {SECTION_MARKERS} from '../report/marked-section.js';
import {showExpectations} from '../report/show-expectations.js';
import {besidePublished, publishedTable} from '../report/tables/beside-published.js';
import {detailTable, summaryTable} from '../report/tables/markdown-tables.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {newestOutcomes, newestRecords} from '../results/newest-records.js';
import {readJournalRecords} from '../results/read-records.js';
import {optionsOfTable} from '../settings/index.js';
import {printWarning} from './print-warning.js';
import {readOptions} from './read-settings.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * `perf-battle table`: makes the table from the journal. Prints it, writes it between the markers of a file, or checks that file.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
export async function table(commandLine, signal) {
  const {into, check, results, expect, ...show} = readTableSettings(commandLine);
  if (check && into === null) throw new UsageError('--check needs --into with the file to compare.');
  const {newest, outcomes} = await readNewest(resolve(results), show);
  const expectations = judgeExpectations(expect ?? [], outcomes);
  printForPrograms(show, {
    document: () => ({cells: newest, ...(expect && {expectations})}),
    csv: (separator) => recordsCsv(newest, separator),
  });
  if (isForPrograms(show)) {
    if (show.csv) showExpectations(expectations, process.stderr);
    return exitCodeOfJudgements(expectations);
  }
  const code = await printOrWrite(makeContent(newest, show), {into, check, signal});
  showExpectations(expectations, process.stdout);
  return code || exitCodeOfJudgements(expectations);
}

/**
 * @param {string} content
 * @param {{into: string | null, check: boolean, signal: AbortSignal}} where
 * @returns {Promise<number>} the exit code
 */
async function printOrWrite(content, {into, check, signal}) {
  if (into === null) {
    process.stdout.write(`${content}\n`);
    return 0;
  }
  if (check) return await checkFile(into, content, signal);
  if (!existsSync(into))
    throw new UsageError(
      `${maskPassword(into)} does not exist. Create it with the lines ${SECTION_MARKERS.begin} and ${SECTION_MARKERS.end} where the table belongs.`,
    );
  await updateFile(into, (markdown) => replaceIn(into, {markdown, content, signal}), {signal});
  process.stdout.write(`The table of ${into} is up to date.\n`);
  return 0;
}

/** @param {readonly string[]} commandLine */
function readTableSettings(commandLine) {
  const {values, origins, warnings} = readOptions(commandLine, optionsOfTable, 'table');
  for (const warning of warnings) printWarning(warning);
  const format = /** @type {const} */ (['json', 'csv']).find((key) => values[key]);
  const others = /** @type {const} */ (['into', 'detail', 'published']);
  const other = others.find((key) => values[key] && origins[key].kind === 'flag');
  if (other === undefined || format === undefined) return values;
  // A variable may be there for battles.
  if (origins[format].kind !== 'flag') return {...values, [format]: false};
  throw new UsageError(`--${format} prints whole records, so --${other} has no effect. Remove it.`);
}

/**
 * The newest figures of each cell, and what became of it since.
 * @param {string} results
 * @param {{detail: boolean, published: boolean, preset: string | null}} show
 */
async function readNewest(results, {published, preset}) {
  const journal = new Journal(journalPathFor(results));
  const {records, warnings} = await readJournalRecords(journal);
  for (const warning of warnings) printWarning(warning);
  const names = presetsNamed(preset);
  const asked = records.filter(({config}) => preset === null || names.includes(String(config.preset)));
  const newest = newestRecords(asked);
  if (newest.length === 0 && !published) {
    const what = existsSync(journal.path)
      ? `has no completed cell${preset === null ? '' : ` of --preset ${preset}`} yet`
      : 'does not exist';
    throw new RunError(
      `${maskPassword(journal.path)} ${what}. Run perf-battle first, or name another file with --results.`,
    );
  }
  return {newest, outcomes: newestOutcomes(asked)};
}

/** @param {string | null} preset a name, or all @returns {readonly string[]} */
function presetsNamed(preset) {
  if (preset === allPresets) return presetNames;
  return preset === null ? [] : [preset];
}

/** @param {readonly CompletedRecord[]} newest @param {{detail: boolean, published: boolean, preset: string | null}} show */
function makeContent(newest, {detail, published, preset}) {
  const measured = newest.length > 0 ? [(detail ? detailTable : summaryTable)(newest)] : [];
  const beside = presetsNamed(preset).flatMap((name) => {
    const own = newest.filter(({config}) => config.preset === name);
    return own.length === 0 ? [] : [besidePublished(presets[name], own)];
  });
  return [...measured, ...beside, ...(published ? [publishedTable()] : [])].join('\n\n');
}

/** @param {string} path @param {string} content @param {AbortSignal} signal */
async function checkFile(path, content, signal) {
  const markdown = readMarkdown(path);
  if ((await replaceIn(path, {markdown, content, signal})) === markdown) return 0;
  process.stderr.write(
    `The table of ${path} is out of date. Update it with: perf-battle table --into ${path}\n`,
  );
  return 1;
}

/** @param {string} path */
function readMarkdown(path) {
  try {
    return readGivenFile(path, {maxBytes: maxMarkdownBytes}).toString('utf8');
  } catch (cause) {
    throw new RunError(/** @type {Error} */ (cause).message, {cause});
  }
}

/** @param {string} path @param {{markdown: string, content: string, signal: AbortSignal}} edit */
async function replaceIn(path, {markdown, content, signal}) {
  try {
    return (await editMarkdown('section', {content}, {path, markdown, signal})).text;
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${path}: ${error.message}`, {cause: error});
    throw error;
  }
}
