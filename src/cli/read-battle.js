import {existsSync} from 'node:fs';
import {readSide} from '../compare/read-side.js';
import {UsageError} from '../errors.js';
import {quote} from '../options/shorten.js';
import {printWarning} from './read-settings.js';

/**
 * @import {Origin} from '../options/resolve.js'
 * @import {Side} from '../compare/read-side.js'
 */

/**
 * @param {readonly string[]} words @param {string} command for messages
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

/**
 * Refuses a --results whose journal was not read. A variable may be there for battles.
 * @param {{values: {results: string}, origins: {results: Origin}}} settings
 * @param {readonly Pick<Side, 'isOfResults'>[]} sides what was read
 * @throws {UsageError}
 */
export function refuseUnusedResults({values, origins}, sides) {
  if (origins.results.kind !== 'flag' || sides.some(({isOfResults}) => isOfResults)) return;
  throw new UsageError(
    `--results ${values.results} has no effect here: it needs a battle of that file, by the beginning of its id, latest or previous.`,
  );
}
