import {payloadFileSize} from '../payload/bytes.js';
import {drawSeed} from '../payload/random.js';
import {checkGivenFiles} from './check-given-files.js';
import {resolveBattle} from './resolve-battle.js';
import {withSettingsOfUrls} from './url-settings.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {BattleSettings} from './index.js'
 */

/**
 * Checks the files that settings name, and derives the rest of the settings.
 * @template {BattleSettings} Whole
 * @param {Whole} given as resolved
 * @param {readonly Option[]} mine what may be given
 * @returns {Whole}
 */
export function completeSettings(given, mine) {
  const asked = withSettingsOfUrls(given);
  checkGivenFiles(mine, asked, {hasBothEnds: true});
  const {payloadFile} = asked.values;
  const payloadFileBytes = payloadFile === null ? null : payloadFileSize(payloadFile);
  return /** @type {Whole} */ (resolveBattle(asked, {payloadFileBytes, seed: drawSeed()}));
}
