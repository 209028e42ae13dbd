import {parse} from 'node:path';
import {RunError, UsageError} from '../errors.js';
import {exportFormats} from '../exports/index.js';
import {readGivenText} from '../files/given-file.js';
import {quote} from '../options/shorten.js';
import {printJson} from '../report/for-programs.js';
import {chartsOf} from '../report/page/charts/index.js';
import {ratesOverSize} from '../report/page/charts/over-size.js';
import {captionOf} from '../report/page/place.js';
import {optionsOfChart} from '../settings/index.js';
import {floorTransport} from '../transports/index.js';
import {oneNamed, readBattle, refuseUnusedResults} from './read-battle.js';
import {readOptionsAndWords} from './read-settings.js';
import {makeChartFolder, writeCharts} from './replace-own.js';

/** @import {ChartFiles} from '../exports/export-format.js' */

/** Of a data file. It has a line for each size of each configuration. */
const maxBytes = 16 * 1024 ** 2;

/**
 * `perf-battle chart [BATTLE]`: the charts of the page as SVG files; with an option such as --endurox-files, those of data files.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal @returns {Promise<number>} the exit code
 */
export async function chart(commandLine, signal) {
  const {words, ...settings} = readOptionsAndWords(commandLine, optionsOfChart);
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

/** @param {string | null} named @param {Parameters<typeof readBattle>[1]} settings */
async function chartsOfBattle(named, settings) {
  const {records, battle, name} = await readBattle(named, settings);
  const charts = chartsOf(records, floorTransport.name);
  if (charts.length === 0) throw new RunError(`${name} has no completed cell, so there is nothing to draw.`);
  const caption = captionOf(records, battle);
  return charts.map(({id, draw}) => ({id, svg: draw({caption})}));
}

/** The files to draw, each with how its format is read. @param {Readonly<Record<string, unknown>>} values */
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
