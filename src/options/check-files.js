import {UsageError} from '../errors.js';
import {checkGivenFile, readGivenFile} from '../files/given-file.js';

/**
 * @import {Option} from './option.js'
 * @import {Settings} from './resolve.js'
 */

/**
 * Checks the files that a person named, before anything starts: when a broker's certificate is needed, some cells may have run already.
 *
 * @param {readonly Option[]} options
 * @param {Pick<Settings, 'values' | 'origins'>} settings
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

/**
 * @param {string} path
 * @param {NonNullable<Option['type']['file']>} rule
 */
function checkFile(path, {refuse, isSent: _, ...limits}) {
  if (!refuse) {
    checkGivenFile(path, limits);
    return;
  }
  const mistake = refuse(readGivenFile(path, limits));
  if (mistake) throw new UsageError(`${path} ${mistake}.`);
}
