import {UsageError} from '../errors.js';

/**
 * @import {Origin} from '../options/resolve.js'
 * @import {Side} from '../compare/read-side.js'
 */

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
