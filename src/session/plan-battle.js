import {checkEffects} from '../battle/effects.js';
import {newBattle} from '../battle/state.js';
import {refuseWithoutCell} from '../expect/expectation.js';
import {resumeBattle} from './resume-battle.js';

/**
 * @import {UsageError} from '../errors.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {RecordedBattle} from './recorded-battles.js'
 * @import {SessionRequest} from './run-session.js'
 */

/**
 * Plans a battle; with `resume`, takes the interrupted one of a journal.
 * @param {BattleSettings} asked
 * @param {{battles: readonly RecordedBattle[], path: string, warn: (warning: string) => void}} recorded path: of the journal, for messages
 * @returns {Promise<Pick<SessionRequest, 'settings' | 'state' | 'known'>>}
 * @throws {UsageError} when the settings contradict each other, or there is nothing to resume
 */
export async function planBattle(asked, {battles, path, warn}) {
  const planned = asked.values.resume ? await resumeBattle(asked, battles, path) : planNew(asked, warn);
  refuseWithoutCell(planned.settings.values.expect ?? [], planned.state.cells);
  return planned;
}

/** @param {BattleSettings} settings @param {(warning: string) => void} warn */
function planNew(settings, warn) {
  const state = newBattle(settings);
  for (const warning of checkEffects(settings, state.cells)) warn(warning);
  return {settings, state};
}
