import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {RunError, UsageError} from '../errors.js';
import {updateFile} from '../files/update-file.js';
import {explainFileError} from '../files/writable-file.js';
import {standalone} from '../report/charts/standalone.js';
import {chartsOf} from '../report/page/charts/index.js';
import {optionsOfChart} from '../settings/index.js';
import {floorTransport} from '../transports/index.js';
import {readBattle} from './report.js';

/**
 * `perf-battle chart [BATTLE]`: the charts of the page as SVG files.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
export async function chart(commandLine, signal) {
  const {
    values: {folder},
    records,
    name,
  } = await readBattle(commandLine, {name: 'chart', options: optionsOfChart});
  const charts = chartsOf(records, floorTransport.name);
  if (charts.length === 0) throw new RunError(`${name} has no completed cell, so there is nothing to draw.`);
  await mkdir(folder, {recursive: true}).catch((error) => {
    throw explainFileError(folder, error);
  });
  for (const {id, svg} of charts) {
    const path = join(folder, `${id}.svg`);
    await updateFile(path, (before) => replaceChart(path, before, standalone(svg)), {signal});
    process.stdout.write(`${path}\n`);
  }
  return 0;
}

/** @param {string} path @param {string} before @param {string} svg */
function replaceChart(path, before, svg) {
  if (before === '' || before.startsWith('<svg ')) return svg;
  throw new UsageError(
    `${path} is not an SVG file, so it is not replaced. Name another folder with --folder.`,
  );
}
