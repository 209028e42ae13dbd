import {checkFiles} from '../options/check-files.js';
import {transports} from '../transports/index.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Settings} from '../options/resolve.js'
 */

/**
 * Checks the files that a person named, each by itself, and those of a transport together.
 *
 * @param {readonly Option[]} options
 * @param {Pick<Settings, 'values' | 'origins'>} settings
 * @throws {UsageError} naming the option and the file
 *
 * @import {UsageError} from '../errors.js'
 */
export function checkGivenFiles(options, {values, origins}) {
  checkFiles(options, {values, origins});
  const checks = new Set(transports.map(({checkFiles: check}) => check));
  for (const check of checks) check?.(values);
}
