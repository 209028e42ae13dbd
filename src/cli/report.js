import {existsSync} from 'node:fs';
import {readSide} from '../compare/read-side.js';
import {UsageError} from '../errors.js';
import {updateFile} from '../files/update-file.js';
import {quote} from '../options/shorten.js';
import {battlePage} from '../report/page/battle-page.js';
import {packageVersion} from '../session/versions.js';
import {optionsOfReport} from '../settings/index.js';
import {floorTransport} from '../transports/index.js';
import {readOptionsAndWords} from './read-settings.js';

/** @import {Option} from '../options/option.js' */

/**
 * `perf-battle report [BATTLE]`: one self-contained HTML page on a battle, by default the newest.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
export async function report(commandLine, signal) {
  const {
    values: {page: path},
    records,
    battle,
  } = await readBattle(commandLine, {name: 'report', options: optionsOfReport});
  const page = battlePage({records, battle, floor: floorTransport.name, version: await packageVersion()});
  await updateFile(path, (before) => replacePage(path, before, page), {signal});
  process.stdout.write(`${path}: ${Math.ceil(Buffer.byteLength(page) / 1000)} kB.\n`);
  return 0;
}

/**
 * The battle that a command line names, and its settings.
 * @template {Option} One
 * @param {readonly string[]} commandLine
 * @param {{name: string, options: readonly One[]}} command whose options have `results`
 * @throws {UsageError} when the battle is not there
 */
export async function readBattle(commandLine, {name, options}) {
  const {values, warnings, words} = readOptionsAndWords(commandLine, options);
  const warn = (/** @type {string} */ warning) => process.stderr.write(`Warning: ${warning}\n`);
  for (const warning of warnings) warn(warning);
  const [named = 'latest', ...more] = words;
  if (more.length > 0) throw new UsageError(`${name} takes one battle; it was also given ${quote(more[0])}.`);
  const {results} = /** @type {{results: string}} */ (/** @type {unknown} */ (values));
  // Of a file, its newest battle.
  const side = await readSide(existsSync(named) ? `${named}#latest` : named, {results, warn});
  return {values, ...side};
}

/** A file that is no page may be somebody's only copy. @param {string} path @param {string} before @param {string} page */
function replacePage(path, before, page) {
  if (before === '' || /^<!doctype html>/i.test(before)) return page;
  throw new UsageError(`${path} is not an HTML page, so it is not replaced. Name another file with --page.`);
}
