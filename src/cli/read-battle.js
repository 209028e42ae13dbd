import {existsSync} from 'node:fs';
import {readSide} from '../compare/read-side.js';
import {UsageError} from '../errors.js';
import {quote} from '../options/shorten.js';
import {printWarning} from './print-warning.js';
import {readOptionsAndWords} from './read-settings.js';

/** @import {Option} from '../options/option.js' */

/**
 * The settings of a command that takes a battle, and how the battle is named.
 * @template {Option} One
 * @param {readonly string[]} commandLine
 * @param {{name: string, options: readonly One[]}} command
 */
export function readNamedBattle(commandLine, {name, options}) {
  const {values, warnings, words} = readOptionsAndWords(commandLine, options);
  for (const warning of warnings) printWarning(warning);
  const [named = null, ...more] = words;
  if (more.length > 0) throw new UsageError(`${name} takes one battle; it was also given ${quote(more[0])}.`);
  return {values, named};
}

/**
 * @param {string | null} named null: the newest battle; of a file, its newest one
 * @param {{results: string}} values
 * @throws {UsageError} when the battle is not there
 */
export async function readBattle(named, {results}) {
  const text = named ?? 'latest';
  return await readSide(existsSync(text) ? `${text}#latest` : text, {results, warn: printWarning});
}
