import {join} from 'node:path';
import {UsageError} from '../errors.js';
import {makeFolders} from '../files/folders.js';
import {assertWritable, explainFileError, updateFile} from '../files/writable-file.js';
import {standalone} from '../report/charts/parts.js';

/**
 * A kind of file that may be replaced.
 * @typedef {{beginning: RegExp, kind: string, flag: string}} Own beginning: matches the beginning of such a file; flag: the option that names another path
 */

export const htmlPage = {beginning: /^<!doctype html>/i, kind: 'an HTML page', flag: '--page'};

/**
 * Writes a file. An existing file is replaced only if it is of the same kind, because another file may be the only copy of its content.
 * @param {string} path @param {string} content @param {Own & {signal: AbortSignal}} how
 * @throws {UsageError} when the existing file is of another kind
 */
export async function replaceOwn(path, content, {signal, ...own}) {
  const replace = (/** @type {string} */ before) => {
    refuseOther(path, before, own);
    return content;
  };
  await updateFile(path, replace, {signal});
}

/**
 * Checks before a run whether `replaceOwn` can write a file after the run.
 * @param {string} path @param {Own} own @throws {UsageError} when the existing file is of another kind
 */
export async function assertReplaceable(path, own) {
  refuseOther(path, await assertWritable(path), own);
}

/** @param {string} path @param {string} text the text of the file; empty if the file does not exist @param {Own} own */
function refuseOther(path, text, {beginning, kind, flag}) {
  if (text !== '' && !beginning.test(text))
    throw new UsageError(`${path} is not ${kind}, so it is not replaced. Choose another place with ${flag}.`);
}

const svgFile = {beginning: /^<svg /, kind: 'an SVG file', flag: '--folder'};

/** Makes the folder of --folder, if it is missing. @param {string} folder @throws {RunError} when the folder cannot be made */
export async function makeChartFolder(folder) {
  await makeFolders(folder).catch((error) => {
    throw explainFileError(folder, error);
  });
}

/**
 * Writes each chart into an SVG file.
 * @param {string} folder an existing folder @param {readonly {id: string, svg: string}[]} charts id: the name of the file
 * @param {{signal: AbortSignal, onWritten: (path: string) => void}} how @throws {UsageError} when an existing file of this name is no SVG file
 */
export async function writeCharts(folder, charts, {signal, onWritten}) {
  for (const {id, svg} of charts) {
    const path = join(folder, `${id}.svg`);
    await replaceOwn(path, standalone(svg), {...svgFile, signal});
    onWritten(path);
  }
}
