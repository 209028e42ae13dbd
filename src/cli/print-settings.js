import {safeText} from '../safe-text.js';
import {describeSettings, settingsDocument} from '../settings/describe-settings.js';

/** @import {Settings} from '../options/resolve.js' */

/**
 * Prints every setting, for --print-config.
 * @param {Settings} settings
 * @returns {number} the exit code
 */
export function printSettings(settings) {
  const {json} = settings.values;
  process.stdout.write(
    json ? `${JSON.stringify(settingsDocument(settings))}\n` : safeText(describeSettings(settings)),
  );
  return 0;
}
