import {join} from 'node:path';
import {makeFolders} from '../files/folders.js';
import {explainFileError} from '../files/writable-file.js';
import {standalone} from '../report/charts/standalone.js';
import {replaceOwn} from './replace-own.js';

const svgFile = {beginning: /^<svg /, kind: 'an SVG file', flag: '--folder'};

/**
 * Makes the folder of --folder, if it is missing.
 * @param {string} folder
 * @throws {RunError} when that is not possible
 */
export async function makeChartFolder(folder) {
  await makeFolders(folder).catch((error) => {
    throw explainFileError(folder, error);
  });
}

/**
 * Writes charts as SVG files of their own.
 * @param {string} folder that exists
 * @param {readonly {id: string, svg: string}[]} charts id: the name of the file
 * @param {{signal: AbortSignal, onWritten: (path: string) => void}} how
 * @throws {UsageError} when a file of this name is no SVG file
 */
export async function writeCharts(folder, charts, {signal, onWritten}) {
  for (const {id, svg} of charts) {
    const path = join(folder, `${id}.svg`);
    await replaceOwn(path, standalone(svg), {...svgFile, signal});
    onWritten(path);
  }
}
