import {existsSync} from 'node:fs';
import {readSide} from '../compare/read-side.js';
import {UsageError} from '../errors.js';
import {quote} from '../options/shorten.js';
import {printWarning} from './print-warning.js';
import {readOptionsAndWords} from './read-settings.js';

/** @import {Option} from '../options/option.js' */

/**
 * The battle that a command line names, and its settings.
 * @template {Option} One
 * @param {readonly string[]} commandLine
 * @param {{name: string, options: readonly One[]}} command whose options have `results`
 * @throws {UsageError} when the battle is not there
 */
export async function readBattle(commandLine, {name, options}) {
  const {values, warnings, words} = readOptionsAndWords(commandLine, options);
  for (const warning of warnings) printWarning(warning);
  const [named = 'latest', ...more] = words;
  if (more.length > 0) throw new UsageError(`${name} takes one battle; it was also given ${quote(more[0])}.`);
  const {results} = /** @type {{results: string}} */ (/** @type {unknown} */ (values));
  // Of a file, its newest battle.
  const side = await readSide(existsSync(named) ? `${named}#latest` : named, {results, warn: printWarning});
  return {values, ...side};
}
