import {givenBroker} from '../brokers/index.js';
import {checkFiles} from '../options/check-files.js';
import {transports} from '../transports/index.js';
import {kindsIn} from './url-settings.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Settings} from '../options/resolve.js'
 */

/**
 * Checks the files that a person named, each by itself, and those of a transport or of a broker together.
 *
 * @param {readonly Option[]} options
 * @param {Pick<Settings<any>, 'values' | 'origins'>} settings
 * @param {{hasBothEnds: boolean}} ends hasBothEnds: the settings are those of the servers and of the clients, as in a battle
 * @throws {UsageError} naming the option and the file
 *
 * @import {UsageError} from '../errors.js'
 */
export function checkGivenFiles(options, {values, origins}, ends) {
  checkFiles(options, {values, origins});
  const checks = new Set(transports.map(({checkFiles: check}) => check));
  for (const check of checks) check?.(values, ends);
  for (const kind of kindsIn({values})) {
    if (!kind.checkFiles || values.broker === 'private') continue;
    const given = givenBroker(kind, {values, origins});
    if (given) kind.checkFiles(given.connection);
  }
}
