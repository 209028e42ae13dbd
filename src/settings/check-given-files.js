import {checkFiles} from '../options/check-files.js';
import {refuseForeignKey} from '../transports/tls-files.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Settings} from '../options/resolve.js'
 */

/**
 * Checks the files that a person named, each by itself, and the certificate and the key together.
 *
 * @param {readonly Option[]} options
 * @param {Pick<Settings<any>, 'values' | 'origins'>} settings
 * @throws {UsageError} naming the option and the file
 *
 * @import {UsageError} from '../errors.js'
 */
export function checkGivenFiles(options, {values, origins}) {
  checkFiles(options, {values, origins});
  const {tlsCertFile = null, tlsKeyFile = null} = values;
  if (tlsCertFile !== null && tlsKeyFile !== null) refuseForeignKey(tlsCertFile, tlsKeyFile);
}
