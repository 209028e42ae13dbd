import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {RunError} from '../errors.js';
import {explainFileError} from '../files/writable-file.js';
import {standalone} from '../report/charts/standalone.js';
import {chartsOf} from '../report/page/charts/index.js';
import {optionsOfChart} from '../settings/index.js';
import {floorTransport} from '../transports/index.js';
import {readBattle} from './read-battle.js';
import {replaceOwn} from './replace-own.js';

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
    await replaceOwn(path, standalone(svg), {
      beginning: /^<svg /,
      kind: 'an SVG file',
      flag: '--folder',
      signal,
    });
    process.stdout.write(`${path}\n`);
  }
  return 0;
}
