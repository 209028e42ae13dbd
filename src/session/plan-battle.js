import {checkEffects} from '../battle/effects.js';
import {guaranteesFor} from '../battle/guarantees.js';
import {newBattle} from '../battle/state.js';
import {refuseUnanswerable} from '../expect/expectation.js';
import {resumeBattle} from './resume-battle.js';

/**
 * @import {MeasuredGuarantee} from '../battle/guarantees.js'
 * @import {UsageError} from '../errors.js'
 * @import {Settings} from '../options/resolve.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {RecordedBattle} from './recorded-battles.js'
 * @import {SessionRequest} from './run-session.js'
 */

/**
 * Plans a battle; with `resume`, takes the interrupted one of a journal.
 * @param {BattleSettings} asked
 * @param {{battles: readonly RecordedBattle[], guarantees?: readonly MeasuredGuarantee[], path: string, warn: (warning: string) => void, isOneOfSeveral?: boolean, ask?: (question: string) => Promise<boolean | null>}} recorded path: of the
 *   journal, for messages; isOneOfSeveral: what has no effect here has one in another battle;
 *   ask: a person
 * @returns {Promise<Pick<SessionRequest, 'settings' | 'state' | 'known'>>}
 * @throws {UsageError} when the settings contradict each other, or there is nothing to resume
 */
export async function planBattle(asked, {battles, guarantees = [], path, warn, ask, isOneOfSeveral = false}) {
  const planned = asked.values.resume
    ? await resumeBattle(asked, battles, path, undefined, ask)
    : {settings: asked, state: newBattle(asked)};
  const {settings, state} = planned;
  state.guarantees = guaranteesFor(guarantees, settings);
  // What the interrupted battle was given has been checked at its start.
  /** @type {Settings['origins']} */
  const origins = settings.origins;
  const isChecked = (/** @type {string} */ key) => !asked.values.resume || origins[key].kind === 'flag';
  if (!isOneOfSeveral) for (const warning of checkEffects(settings, state.cells, isChecked)) warn(warning);
  refuseUnanswerable(settings.values.expect ?? [], state.cells);
  return planned;
}
