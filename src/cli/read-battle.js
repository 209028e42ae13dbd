import {existsSync} from 'node:fs';
import {readSide} from '../compare/read-side.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/given-text.js';
import {printWarning} from './print-warning.js';
import {readOptionsAndWords} from './read-settings.js';
import {refuseUnusedResults} from './refuse-unused-results.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Origin} from '../options/resolve.js'
 */

/**
 * The settings of a command that takes a battle, and how the battle is named.
 * @template {Option} One
 * @param {readonly string[]} commandLine
 * @param {{name: string, options: readonly One[]}} command
 */
export function readNamedBattle(commandLine, {name, options}) {
  const {words, ...settings} = readOptionsAndWords(commandLine, options);
  for (const warning of settings.warnings) printWarning(warning);
  return {settings, named: oneNamed(words, name)};
}

/**
 * @param {readonly string[]} words
 * @param {string} command for messages
 * @returns {string | null} the battle that they name; null: none
 * @throws {UsageError} when there are several
 */
export function oneNamed([named, ...more], command) {
  if (more.length > 0)
    throw new UsageError(`${command} takes one battle; it was also given ${quote(more[0])}.`);
  return named ?? null;
}

/**
 * @param {string | null} named null: the newest battle; of a file, its newest one
 * @param {{values: {results: string}, origins: {results: Origin}}} settings
 * @throws {UsageError} when the battle is not there, or is not of the results that the person named
 */
export async function readBattle(named, settings) {
  const text = named ?? 'latest';
  const where = {results: settings.values.results, warn: printWarning, needsFigures: true};
  const side = await readSide(existsSync(text) ? `${text}#latest` : text, where);
  refuseUnusedResults(settings, [side]);
  return side;
}
