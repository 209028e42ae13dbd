import {brokerKinds} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {quote} from '../options/shorten.js';
import {loadGuest} from '../transports/guests.js';
import {addTransport, transportNames} from '../transports/index.js';
import {allOptions} from './index.js';

/** @import {Guest} from '../transports/guests.js' */

/** The names in texts of --transport. @param {readonly string[]} texts @returns {string[]} */
export function namesIn(texts) {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/**
 * Loads the transports that a person brings, so that the options of a battle know them. The names of those of perf-battle are left alone; a name
 * that is no module is refused where the option is read.
 *
 * @param {readonly string[]} named as in --transport
 * @param {string} [folder] from which paths and packages are resolved
 * @returns {Promise<Guest[]>}
 * @throws {UsageError} when one cannot be loaded or does not fit
 */
export async function bringTransports(named, folder) {
  const guests = [];
  for (const specifier of named) {
    if (transportNames.some((name) => name === specifier.toLowerCase())) continue;
    const guest = await loadGuest(specifier, folder);
    if (guest === null) continue;
    refuseUnfit(guest);
    addTransport(guest);
    guests.push(guest);
  }
  return guests;
}

/** @param {Guest} guest @throws {UsageError} */
function refuseUnfit({name, broker, options, module: {specifier}}) {
  const where = `The transport ${quote(name)} of ${quote(specifier)}`;
  const kinds = brokerKinds.map((kind) => kind.name);
  if (broker !== null && !kinds.includes(broker))
    throw new UsageError(`${where} needs a broker ${quote(broker)}. The kinds are: ${kinds.join(', ')}.`);
  for (const option of options) {
    const same = allOptions.find(
      (other) =>
        /** @type {object} */ (other) !== option &&
        (other.name === option.name ||
          other.key === option.key ||
          other.environmentName === option.environmentName),
    );
    if (same)
      throw new UsageError(
        `${where} has an option --${option.name}, whose name, key or variable is that of --${same.name}. Begin it with the name of the transport.`,
      );
  }
}
