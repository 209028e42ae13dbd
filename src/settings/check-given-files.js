import {givenBroker} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {checkGivenFile, readGivenFile} from '../files/given-file.js';
import {transports} from '../transports/index.js';
import {kindsIn} from './broker-settings.js';

/** @import {Option, Settings} from '../options/contract.js' */

/**
 * Checks the files that a person named, each by itself, and those of a transport or of a broker together.
 * @param {readonly Option[]} options @param {Pick<Settings<any>, 'values' | 'origins'>} settings
 * @param {{hasBothEnds: boolean}} ends hasBothEnds: the settings are those of the servers and of the clients, as in a battle
 * @throws {UsageError} naming the option and the file
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

/**
 * Checks the files that a person named, before anything starts: when a broker's certificate is needed, some cells may have run already.
 * @param {readonly Option[]} options @param {Pick<Settings, 'values' | 'origins'>} settings
 * @throws {UsageError} when a file cannot be read, or has content that its option does not allow
 */
export function checkFiles(options, {values, origins}) {
  for (const {key, type} of options) {
    if (!type.file || values[key] === null || origins[key].kind === 'default') continue;
    try {
      checkFile(String(values[key]), type.file);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(`${origins[key].name} must be ${type.allowed}: ${error.message}`, {cause: error});
    }
  }
}

/** @param {string} path @param {NonNullable<Option['type']['file']>} rule */
function checkFile(path, {refuse, isSent: _, ...limits}) {
  if (!refuse) {
    checkGivenFile(path, limits);
    return;
  }
  const mistake = refuse(readGivenFile(path, limits));
  if (mistake) throw new UsageError(`${path} ${mistake}.`);
}
