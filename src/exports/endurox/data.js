import {join} from 'node:path';
import {nameOfVariant} from '../../columns/names.js';
import {UsageError} from '../../errors.js';
import {makeFolders} from '../../files/folders.js';
import {mainLineEnding} from '../../files/text-lines.js';
import {explainFileError, updateFile} from '../../files/writable-file.js';
import {presets} from '../../presets/index.js';
import {comparableRates} from '../../results/comparable.js';

/**
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {RunError} from '../../errors.js'
 */

/**
 * The data files of the Enduro/X benchmark (doc/benchmark/*.txt in github.com/endurox-dev/endurox). ndrx_bench_write_stats in libnstd/benchmark.c
 * writes them, and read.table in genchart.r reads them. A header line is followed by a row for each measurement: the configuration in double quotes
 * (without double quotes inside), the message size and the calls per second, separated by spaces.
 * @typedef {{configuration: string, size: number, callsPerSecond: number}} EnduroxRow size: the message size in KB of 1024 bytes; 0 for a message of
 *   one byte; callsPerSecond: a call is a request with its reply
 */

const HEADER = '"Configuration" "MsgSize" "CallsPerSec"';
const headerLine = /^\s*"Configuration"\s+"MsgSize"\s+"CallsPerSec"\s*$/;
/** R ignores comments and empty lines, so they are no errors. */
const emptyLine = /^\s*(?:#|$)/;
const number = String.raw`(\d+(?:\.\d+)?(?:e[+-]?\d+)?)`;
const rowLine = new RegExp(String.raw`^\s*"([^"]*)"\s+${number}\s+${number}\s*$`, 'i');

/**
 * @param {string} text the content of a data file @returns {EnduroxRow[]} empty for an empty text
 * @throws {UsageError} for a line that is neither the header nor a row
 */
export function parseEnduroxData(text) {
  return parseLines(text).flatMap(({row}) => row ?? []);
}

/**
 * Replaces all rows of the configurations in `rows`; the new rows are at the end. All other lines stay as they are, byte for byte.
 * @param {string} text the content of a file; an empty text gets the header @param {readonly EnduroxRow[]} rows
 * @throws {UsageError} for a line that is neither the header nor a row @throws {RangeError} when `parseEnduroxData` could not read a new row
 */
export function replaceConfigurations(text, rows) {
  const replaced = new Set(rows.map(({configuration}) => configuration));
  const lines = parseLines(text);
  const kept = lines.filter(({row}) => row === null || !replaced.has(row.configuration));
  const rest = kept.map(({line}) => line).join('');
  const ending = mainLineEnding(rest);
  const header = lines.some(({line}) => headerLine.test(line)) ? '' : `${HEADER}${ending}`;
  const added = header + rows.map((row) => formatRow(row) + ending).join('');
  return added === '' || /(?:^\uFEFF?|[\r\n])$/.test(rest) ? rest + added : rest + ending + added;
}

/**
 * Makes a name that the benchmark's script, the data file and R accept. The script accepts no spaces; quotes, backslashes and # have
 * a meaning in R. A sequence of these and of control characters becomes one underscore; at both ends it is removed.
 * @param {string} text @returns {string} never empty
 */
export function configurationName(text) {
  return (
    text
      .replace(/[\s\p{Cc}"'`\\#]+/gu, ' ')
      .trim()
      .replaceAll(' ', '_') || '_'
  );
}

/**
 * The completed records as rows, by the name of the file without its extension. A preset of this benchmark uses the benchmark's own file,
 * each other preset has a file, and the remaining records have a file per workload. A configuration is the variant and the given name or,
 * without a name, the variant, environment and machine. Rows are sorted by size, because the chart connects them in the order of the file.
 * @param {readonly CellRecord[]} records at most one record per cell, the newest @param {string | null} [configuration] the given name
 */
export function enduroxRows(records, configuration = null) {
  const completed = records.filter((record) => record.outcome === 'completed');
  return new Map(
    completed.map(fileOf).map((file) => [
      file,
      completed
        .filter((record) => fileOf(record) === file)
        .flatMap((record) => rowsOf(record, configuration))
        .sort(byConfigurationAndSize),
    ]),
  );
}

/** @param {CompletedRecord} record */
function fileOf({config, workload}) {
  const name = String(config.preset);
  return Object.hasOwn(presets, name) ? (presets[name].dataFile ?? name) : workload;
}

/** @param {string} text @returns {{line: string, row: EnduroxRow | null}[]} line: with its line ending; row: null for a line that is no row */
function parseLines(text) {
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const header = lines.findIndex((line) => !emptyLine.test(line));
  return lines.map((line, index) => {
    if (emptyLine.test(line)) return {line, row: null};
    if (index > header) return {line, row: parseRow(line, index + 1)};
    if (headerLine.test(line)) return {line, row: null};
    throw unreadable(line, index + 1, `the header ${HEADER}`);
  });
}

/** @param {string} line @param {number} lineNumber */
function parseRow(line, lineNumber) {
  const [, configuration, size, callsPerSecond] = rowLine.exec(line) ?? [];
  const row = {configuration, size: Number(size), callsPerSecond: Number(callsPerSecond)};
  if (Number.isFinite(row.size) && Number.isFinite(row.callsPerSecond)) return row;
  throw unreadable(
    line,
    lineNumber,
    'a configuration in double quotes, a message size in KB and calls per second, both not negative, such as "linux,i7" 4 2048',
  );
}

/** @param {string} line @param {number} lineNumber @param {string} allowed */
function unreadable(line, lineNumber, allowed) {
  const found = line.trim();
  const shown = JSON.stringify(found.length > 80 ? `${found.slice(0, 80)}…` : found);
  return new UsageError(
    `Line ${lineNumber} of a data file of the Enduro/X benchmark must be ${allowed}; it says ${shown}. ` +
      'Correct that line or remove it.',
  );
}

/** @param {EnduroxRow} row */
function formatRow({configuration, size, callsPerSecond}) {
  const line = `"${configuration}" ${size} ${callsPerSecond}`;
  if (/[\r\n]/.test(line) || !rowLine.test(line))
    throw new RangeError(`Not a row of the Enduro/X benchmark: ${line}`);
  return line;
}

/** @param {CompletedRecord} record @param {string | null} configuration @returns {EnduroxRow[]} a row for each part with a separate rate */
function rowsOf(record, configuration) {
  const {labels, environment, machine, payloadBytes} = record;
  const where = configuration === null ? [environment, machine] : [configuration];
  return comparableRates(record).map(({part, messagesPerSecond}) => ({
    configuration: [nameOfVariant(labels), ...(part === null ? [] : [part]), ...where]
      .map(configurationName)
      .join(','),
    size: payloadBytes === 1 ? 0 : payloadBytes / 1024,
    callsPerSecond: wholeIfLarge(messagesPerSecond),
  }));
}

/** The benchmark itself writes whole numbers. A rate below 100 keeps three digits, because it must not become 0. @param {number} rate */
function wholeIfLarge(rate) {
  return rate >= 100 ? Math.round(rate) : Number(rate.toPrecision(3));
}

/** @param {EnduroxRow} one @param {EnduroxRow} other */
function byConfigurationAndSize(one, other) {
  return one.configuration.localeCompare(other.configuration) || one.size - other.size;
}

/**
 * Writes the completed records into data files of the Enduro/X benchmark. Existing rows of the same configurations are replaced; all other
 * lines stay.
 * @param {string} folder created if missing @param {readonly CellRecord[]} records at most one record per cell, the newest
 * @param {{configuration?: string | null, signal: AbortSignal}} how configuration: the name that replaces environment and machine; signal: ends
 *   waiting for another process that updates a file
 * @returns {Promise<string[]>} the paths of the files; empty if no cell completed
 * @throws {UsageError} if an existing file has another format; it stays unchanged @throws {RunError} if the folder or a file cannot be written
 */
export async function writeEnduroxData(folder, records, {configuration = null, signal}) {
  const rowsByFile = enduroxRows(records, configuration);
  if (rowsByFile.size > 0) await makeFolder(folder);
  const paths = [];
  for (const [name, rows] of rowsByFile) {
    const path = join(folder, `${name}.txt`);
    await updateFile(path, (text) => replaceIn(path, text, rows), {signal});
    paths.push(path);
  }
  return paths;
}

/** @param {string} folder */
async function makeFolder(folder) {
  try {
    await makeFolders(folder);
  } catch (error) {
    throw explainFileError(folder, error);
  }
}

/** @param {string} path @param {string} text @param {readonly EnduroxRow[]} rows */
function replaceIn(path, text, rows) {
  try {
    return replaceConfigurations(text, rows);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new UsageError(`Cannot update ${path}: ${cause.message}`, {cause});
  }
}
