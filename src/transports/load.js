import {existsSync} from 'node:fs';
import {UsageError} from '../errors.js';

/** @import {Transport} from './transport.js' */

const isName = /^[a-z][a-z\d-]*$/i;

/** Returns whether a transport is part of perf-battle. @param {string} name in any case */
export function isOwn(name) {
  return isName.test(name) && existsSync(new URL(`./${name.toLowerCase()}/index.js`, import.meta.url));
}

/**
 * Loads the declaration of one transport alone, because a battle starts many processes that need only one.
 * @param {string} name in any case
 * @returns {Promise<Transport>}
 * @throws {UsageError} when there is no transport of this name
 */
export async function loadTransport(name) {
  if (isOwn(name)) return (await import(`./${name.toLowerCase()}/index.js`)).default;
  const {quote} = await import('../files/quote.js');
  const {didYouMean} = await import('../options/show-option.js');
  const {transportNames} = await import('./index.js');
  throw new UsageError(
    `There is no transport named ${quote(name)}.${didYouMean(name, transportNames)} The transports are: ${transportNames.join(', ')}.`,
  );
}
