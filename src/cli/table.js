import {existsSync} from 'node:fs';
import {noResults} from '../compare/read-side.js';
import {RunError, UsageError} from '../errors.js';
import {exitCodeOfJudgements, judgeExpectations} from '../expect/judge.js';
import {readGivenFile} from '../files/given-file.js';
import {maskPassword} from '../files/quote.js';
import {maxMarkdownBytes, updateFile} from '../files/writable-file.js';
import {allPresets, presetNames, presets} from '../presets/index.js';
import {editMarkdown} from '../report/edit-markdown.js';
import {isForPrograms, printForPrograms, recordsCsv, resultsStream} from '../report/for-programs.js';
import {SECTION_MARKERS} from '../report/markdown-edits.js';
import {describeInterrupted, faultsCsv, showFaults} from '../report/show-faults.js';
import {showExpectations} from '../report/show-outcomes.js';
import {printTable} from '../report/tables/battle-table.js';
import {besidePublished, forTerminal} from '../report/tables/beside-published.js';
import {detailTable, publishedTable, publishedText, summaryTable} from '../report/tables/markdown-tables.js';
import {withRemarks} from '../report/tables/result-rows.js';
import {printText} from '../report/terminal.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {newestOutcomes, newestRecords} from '../results/newest-records.js';
import {readJournalRecords} from '../results/read-records.js';
import {documentOfFaults, recordedFaults} from '../session/faults/recorded-faults.js';
import {optionsOfTable} from '../settings/index.js';
import {widthOf} from '../text/lines.js';
import {transportFacts} from '../transports/index.js';
import {printWarning, readOptions} from './read-settings.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/** @typedef {{detail: boolean, published: boolean, preset: string | null}} Show */

/**
 * `perf-battle table`: makes a table from the journal, and prints it, writes it between the markers of a file, or compares it with that file.
 * On a terminal, prints the tables of a battle; otherwise, prints markdown.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 */
export async function table(commandLine, signal) {
  const {into, check, all, results, expect, ...show} = await readTableSettings(commandLine);
  if (check && into === null) throw new UsageError('--check needs --into with the file to compare.');
  if (all && into === null)
    throw new UsageError('--all needs --into with the file to write. A printed table has all results.');
  const {newest, outcomes, faults} = await readNewest(results, {...show, isPlain: into === null && !expect});
  if (faults !== null) return printFaults(faults, show);
  const expectations = judgeExpectations(expect ?? [], outcomes);
  printForPrograms(show, {
    document: () => ({cells: newest, ...(expect && {expectations})}),
    csv: (separator) => recordsCsv(newest, separator),
  });
  if (isForPrograms(show)) {
    if (show.csv) showExpectations(expectations, process.stderr);
    return exitCodeOfJudgements(expectations);
  }
  if (into === null) print(newest, show, process.stdout);
  const code = into === null ? 0 : await writeInto(into, newest, {all, check, show, signal});
  showExpectations(expectations, process.stdout);
  return code || exitCodeOfJudgements(expectations);
}

/** @param {readonly CompletedRecord[]} newest @param {Show} show @param {NodeJS.WriteStream} stream */
function print(newest, show, stream) {
  if (!stream.isTTY) {
    stream.write(`${makeContent(newest, show)}\n`);
    return;
  }
  const {detail, published, preset} = show;
  const {floor, notes} = transportFacts(newest);
  if (newest.length > 0)
    printTable(withRemarks(newest), {floor, notes: [...notes, ...severalNote(newest)], detail}, stream);
  const texts = [
    ...ofPresets(newest, preset).map(({name, own}) => besidePublished(presets[name], own, forTerminal)),
    ...(published ? [publishedText(widthOf(stream))] : []),
  ];
  for (const text of texts) printText(`\n${text}`, stream);
}

/** @param {readonly CompletedRecord[]} newest */
function severalNote(newest) {
  const {size} = new Set(newest.map(({battleId}) => battleId));
  return size === 1
    ? []
    : [
        `These results are of ${size} battles. Ratios compare within one battle, so they may rank the transports otherwise than the means do.`,
      ];
}

/**
 * @param {string} into @param {readonly CompletedRecord[]} newest
 * @param {{all: boolean, check: boolean, show: Show, signal: AbortSignal}} how all: also suspect records
 */
async function writeInto(into, newest, {all, check, show, signal}) {
  if (!check && !existsSync(into))
    throw new UsageError(
      `${maskPassword(into)} does not exist. Create it with the lines ${SECTION_MARKERS.begin} and ${SECTION_MARKERS.end} where the table belongs.`,
    );
  const written = newest.filter(({verdict}) => all || verdict.status !== 'suspect');
  if (written.length === 0 && !show.published)
    throw new RunError(
      `All results (${newest.length}) are suspect, so ${maskPassword(into)} stays as it is. Measure on an idle host (perf-battle doctor says what disturbs this one), or write them with --all.`,
    );
  const content = makeContent(written, show, {withIntervals: true});
  if (check) return await checkFile(into, content, {all, signal});
  await updateFile(into, (markdown) => replaceIn(into, {markdown, content, signal}), {signal});
  const left = newest.length - written.length;
  const note =
    left > 0
      ? ` ${left} suspect result${left === 1 ? ' is' : 's are'} not in it; --all adds ${left === 1 ? 'it' : 'them'}.`
      : '';
  process.stdout.write(`The table of ${into} is up to date.${note}\n`);
  return 0;
}

/** @param {readonly string[]} commandLine */
async function readTableSettings(commandLine) {
  const {values, origins} = await readOptions(commandLine, optionsOfTable, 'table');
  const format = /** @type {const} */ (['json', 'csv']).find((key) => values[key]);
  const others = /** @type {const} */ (['into', 'detail', 'published']);
  const other = others.find((key) => values[key] && origins[key].kind === 'flag');
  if (other === undefined || format === undefined) return values;
  // A variable may be set for battles; here it has no effect.
  if (origins[format].kind !== 'flag') return {...values, [format]: false};
  throw new UsageError(`--${format} prints whole records, so --${other} has no effect. Remove it.`);
}

/**
 * Prints the table of a run of faults, where the journal has no cells.
 * @param {NonNullable<ReturnType<typeof recordedFaults>>} faults @param {Show & {json: boolean, csv: boolean, csvSeparator: string}} show
 */
function printFaults(faults, show) {
  printForPrograms(show, {
    document: () => documentOfFaults(faults),
    csv: (separator) => faultsCsv(faults, separator),
  });
  if (faults.isInterrupted) printText(describeInterrupted(faults), resultsStream(show));
  if (!isForPrograms(show)) showFaults(faults, process.stdout);
  return 0;
}

/**
 * Reads the newest figures and the newest outcome of each cell.
 * @param {string} results @param {Pick<Show, 'published' | 'preset'> & {isPlain: boolean}} show isPlain: whether a run of faults may be shown instead
 */
async function readNewest(results, {published, preset, isPlain}) {
  const journal = new Journal(journalPathFor(results));
  const {records, battles, trials, warnings} = await readJournalRecords(journal);
  for (const warning of warnings) printWarning(warning);
  const names = presetsNamed(preset);
  const asked = records.filter(({config}) => preset === null || names.includes(String(config.preset)));
  const newest = newestRecords(asked);
  const isEmpty = newest.length === 0 && !published;
  const faults =
    isEmpty && isPlain && preset === null ? recordedFaults((await journal.read()).entries) : null;
  if (isEmpty && faults === null)
    throw noResults(
      journal.path,
      preset === null ? {battles, trials, records} : {what: ` of --preset ${preset}`},
    );
  if (faults?.isBeforeTrials) printText(noResults(journal.path, {battles, trials, records}).message);
  return {newest, outcomes: newestOutcomes(asked), faults};
}

/** @param {string | null} preset a name, or "all" @returns {readonly string[]} */
function presetsNamed(preset) {
  if (preset === allPresets) return presetNames;
  return preset === null ? [] : [preset];
}

/** @param {readonly CompletedRecord[]} newest @param {string | null} preset */
function ofPresets(newest, preset) {
  return presetsNamed(preset)
    .map((name) => ({name, own: newest.filter(({config}) => config.preset === name)}))
    .filter(({own}) => own.length > 0);
}

/** @param {readonly CompletedRecord[]} newest @param {Show} show @param {{withIntervals?: boolean}} [how] */
function makeContent(newest, {detail, published, preset}, how) {
  const table = () => (detail ? detailTable(newest) : summaryTable(newest, how));
  const measured = newest.length > 0 ? [table()] : [];
  const beside = ofPresets(newest, preset).map(({name, own}) => besidePublished(presets[name], own));
  return [...measured, ...beside, ...(published ? [publishedTable()] : [])].join('\n\n');
}

/** @param {string} path @param {string} content @param {{all: boolean, signal: AbortSignal}} how */
async function checkFile(path, content, {all, signal}) {
  const markdown = readMarkdown(path);
  if ((await replaceIn(path, {markdown, content, signal})) === markdown) return 0;
  printText(
    `The table of ${path} is out of date. Update it with: perf-battle table --into ${path}${all ? ' --all' : ''}`,
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
