import {UsageError} from '../errors.js';

/** @import {Transport} from './transport.js' */

const isName = /^[a-z][a-z\d-]*$/;

/**
 * Loads the declaration of a transport. The others are not loaded: a battle starts many processes that need only one.
 * @param {string} name
 * @returns {Promise<Transport>}
 * @throws {UsageError} when there is none of that name
 */
export async function loadTransport(name) {
  try {
    if (isName.test(name)) return (await import(`./${name}/index.js`)).default;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  const {quote} = await import('../options/shorten.js');
  const {didYouMean} = await import('../options/suggest.js');
  const {transportNames} = await import('./index.js');
  throw new UsageError(
    `There is no transport named ${quote(name)}.${didYouMean(name, transportNames)} The transports are: ${transportNames.join(', ')}.`,
  );
}
