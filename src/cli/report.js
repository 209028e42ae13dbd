import {existsSync} from 'node:fs';
import {parse} from 'node:path';
import {noResults, readResults, readSide} from '../compare/read-side.js';
import {RunError, UsageError} from '../errors.js';
import {exportFormats} from '../exports/index.js';
import {readGivenText} from '../files/given-file.js';
import {quote} from '../files/quote.js';
import {printJson} from '../report/for-programs.js';
import {battlePage, chartsOf} from '../report/page/battle-page.js';
import {ratesOverSize} from '../report/page/charts/over-size.js';
import {faultsPage} from '../report/page/faults-page.js';
import {historyPage} from '../report/page/history-page.js';
import {captionOf} from '../report/page/place.js';
import {printText} from '../report/terminal.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {recordedFaults} from '../session/faults/recorded-faults.js';
import {packageVersion} from '../session/versions.js';
import {pageOfHistory} from '../settings/command-options.js';
import {settingsOfMeasurements} from '../settings/describe-settings.js';
import {optionsOfChart, optionsOfReport} from '../settings/index.js';
import {floorTransport} from '../transports/index.js';
import {printWarning, readOptionsAndWords, refuseUnusedResults} from './read-settings.js';
import {htmlPage, makeChartFolder, replaceOwn, writeCharts} from './replace-own.js';

/**
 * @import {ChartFiles} from '../exports/export-format.js'
 * @import {Origin} from '../options/contract.js'
 */

/** @typedef {{values: {results: string}, origins: {results: Origin}}} ReportSettings */

/**
 * `perf-battle report [BATTLE]`: writes a self-contained HTML page on a battle, by default the newest. With --history, the page shows all
 * battles of journals.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 */
export async function report(commandLine, signal) {
  const {words, ...settings} = await readOptionsAndWords(commandLine, optionsOfReport);
  const {page: asked, json, history} = settings.values;
  // Otherwise the page on the battles would replace the page on a battle.
  const path = history && settings.origins.page.kind === 'default' ? pageOfHistory : asked;
  const page = history
    ? await pageOfJournals(words, settings)
    : await pageOfBattle(oneNamed(words, 'report'), settings);
  await replaceOwn(path, page, {...htmlPage, signal});
  const bytes = Buffer.byteLength(page);
  if (json) printJson({page: path, bytes});
  else process.stdout.write(`${path}: ${Math.ceil(bytes / 1000)} kB.\n`);
  return 0;
}

/**
 * Reads a run of faults from the journal of --results: the named one, or the newest if no battle has results there.
 * @param {string | null} named the beginning of an id, or latest @param {ReportSettings} settings
 */
async function readFaults(named, {values: {results}}) {
  const journal = journalPathFor(results);
  if (!existsSync(journal) || (named !== null && existsSync(named))) return null;
  const {entries} = await new Journal(journal).read();
  const ofKind = (/** @type {string} */ wanted) => entries.filter(({kind}) => kind === wanted);
  const cells = ofKind('cell');
  const isNewest = named === null || named === 'latest';
  const hasBattle = isNewest
    ? cells.some(({outcome}) => outcome === 'completed')
    : cells.some(({battleId}) => String(battleId).startsWith(named));
  const faults = hasBattle ? null : recordedFaults(entries, isNewest ? null : named);
  if (isNewest && faults?.isBeforeTrials)
    printText(
      noResults(journal, {
        battles: ofKind('battle'),
        trials: ofKind('trial'),
        records: cells,
      }).message,
    );
  return faults;
}

/** @param {string | null} named @param {ReportSettings} settings */
async function pageOfBattle(named, settings) {
  const faults = await readFaults(named, settings);
  if (faults !== null) {
    const {perfBattle = await packageVersion(), ...versions} = faults.versions;
    return faultsPage({...faults, versions: {...versions, perfBattle}});
  }
  const {records, battle} = await readBattle(named, settings);
  return battlePage({
    records,
    battle,
    floor: floorTransport.name,
    version: await packageVersion(),
    settings: settingsOfMeasurements(records[0].config, records),
  });
}

/**
 * @param {readonly string[]} paths journals, results files or documents; if empty, the journal of --results is read @param {ReportSettings} settings
 */
async function pageOfJournals(paths, {values: {results}, origins}) {
  if (paths.length > 0 && origins.results.kind === 'flag')
    throw new UsageError(`--results ${results} has no effect here: the journals are named. Remove it.`);
  const own = journalPathFor(results);
  if (paths.length === 0 && !existsSync(own)) throw noResults(own);
  const read = paths.length > 0 ? paths : [own];
  const journals = await Promise.all(
    read.map(async (path) => ({
      name: path.replace(/\.(?:ndjson|json|md)$/i, ''),
      ...(await readResults(path, printWarning)),
    })),
  );
  if (!journals.some(({records}) => records.some(({outcome}) => outcome === 'completed')))
    throw noResults(read[0], journals[0]);
  return historyPage({journals, version: await packageVersion()});
}

/** The maximum size of a data file, which has a line for each size of each configuration. */
const maxBytes = 16 * 1024 ** 2;

/**
 * `perf-battle chart [BATTLE]`: writes the charts of the page as SVG files. With an option such as --endurox-files, draws data files instead.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 */
export async function chart(commandLine, signal) {
  const {words, ...settings} = await readOptionsAndWords(commandLine, optionsOfChart);
  const named = oneNamed(words, 'chart');
  const {folder, json} = settings.values;
  const files = filesIn(settings.values);
  if (files.length > 0 && named !== null)
    throw new UsageError(
      `--${files[0].option.name} draws data files, so no battle can be given; it is ${quote(named)}.`,
    );
  if (files.length > 0) refuseUnusedResults(settings, []);
  const charts =
    files.length === 0 ? await chartsOfBattle(named, settings) : await Promise.all(files.map(chartOfFile));
  await makeChartFolder(folder);
  /** @type {string[]} */
  const paths = [];
  const onWritten = (/** @type {string} */ path) => {
    paths.push(path);
    if (!json) process.stdout.write(`${path}\n`);
  };
  await writeCharts(folder, charts, {signal, onWritten});
  if (json) printJson({charts: paths});
  return 0;
}

/** @param {string | null} named @param {ReportSettings} settings */
async function chartsOfBattle(named, settings) {
  const {records, battle, name} = await readBattle(named, settings);
  const charts = chartsOf(records, floorTransport.name);
  if (charts.length === 0) throw new RunError(`${name} has no completed cell, so there is nothing to draw.`);
  const caption = captionOf(records, battle);
  return charts.map(({id, draw}) => ({id, svg: draw({caption})}));
}

/** The files to draw, each with the parser of its format. @param {Readonly<Record<string, unknown>>} values */
function filesIn(values) {
  return exportFormats.flatMap(({chartFiles}) => {
    if (chartFiles === undefined) return [];
    const paths = /** @type {readonly string[] | null} */ (values[chartFiles.option.key]) ?? [];
    return paths.map((path) => ({path, ...chartFiles}));
  });
}

/** @param {ChartFiles & {path: string}} file */
async function chartOfFile({path, parse: parseRows}) {
  const rows = await parseRows(readGivenText(path, {maxBytes}));
  if (!rows.some(({callsPerSecond}) => callsPerSecond > 0))
    throw new UsageError(`${path} has no rate above zero, so there is nothing to draw.`);
  const {name} = parse(path);
  return {id: name, svg: ratesOverSize(rows, `Calls per second over message size (${name})`)};
}

/**
 * @param {readonly string[]} words @param {string} command its name, for messages @returns {string | null} the battle that the words name, or null
 */
function oneNamed([named, ...more], command) {
  if (more.length > 0)
    throw new UsageError(`${command} takes one battle; it was also given ${quote(more[0])}.`);
  return named ?? null;
}

/** @param {string | null} named a battle, or a file for its newest battle; null for the newest battle of all @param {ReportSettings} settings */
async function readBattle(named, settings) {
  const text = named ?? 'latest';
  const where = {results: settings.values.results, warn: printWarning, needsFigures: true};
  const side = await readSide(existsSync(text) ? `${text}#latest` : text, where);
  refuseUnusedResults(settings, [side]);
  return side;
}
