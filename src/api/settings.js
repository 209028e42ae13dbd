import {withScale} from '../battle/scale.js';
import {camelCase} from '../options/option.js';
import {resolveOptions} from '../options/resolve.js';
import {completeSettings} from '../settings/complete.js';
import {textsOf} from '../settings/given.js';
import {allOptions, optionsOfBattle} from '../settings/index.js';

/**
 * @import {GivenSettings} from '../settings/given.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/**
 * The settings of a battle from what a program gives. The environment and `.env` are not read.
 * @param {GivenSettings} settings
 * @returns {BattleSettings}
 * @throws {UsageError} for an unknown name, or a value that is not allowed
 */
export function settingsOf(settings) {
  const asked = resolveOptions(allOptions, {
    scope: 'battle',
    mine: optionsOfBattle,
    given: {
      texts: textsOf(settings, 'battle()'),
      // As a flag: it is for this battle alone.
      originOf: ({name}) => ({kind: 'flag', name: camelCase(name)}),
    },
  });
  return withScale(completeSettings(asked, optionsOfBattle));
}
