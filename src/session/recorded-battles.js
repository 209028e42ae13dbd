import {makeRecords} from '../battle/make-records.js';
import {isRunning} from '../measure/processes.js';
import {isOlder} from '../results/newest-records.js';
import {ownUid} from './owner.js';

/**
 * @import {BattleEntry, BrokerEntry, JournalEntry, Owner, TrialEntry} from '../battle/journal-entries.js'
 * @import {Journal} from '../results/journal.js'
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {BattleValues} from '../settings/index.js'
 */

/**
 * One battle in the journal.
 *
 * @typedef {object} RecordedBattle
 * @property {BattleEntry} battle its newest battle line
 * @property {TrialEntry[]} trials
 * @property {Map<string, CellRecord>} cells newest record by id
 * @property {BrokerEntry | null} broker the newest line about its broker
 * @property {boolean} hasRows whether its rows were appended to the results, and its exports written
 */

/**
 * @param {readonly JournalEntry[]} entries of a journal
 * @returns {RecordedBattle[]} in the order in which they began
 */
export function battlesIn(entries) {
  /** @type {Map<string, RecordedBattle>} */
  const battles = new Map();
  for (const entry of entries) {
    if (entry.kind === 'battle') {
      const known = battles.get(entry.id);
      if (known) known.battle = entry;
      else battles.set(entry.id, {battle: entry, trials: [], cells: new Map(), broker: null, hasRows: false});
      continue;
    }
    const battle = battles.get(entry.battleId);
    if (!battle) continue;
    if (entry.kind === 'owner') battle.battle = {...battle.battle, owner: entry.owner};
    if (entry.kind === 'trial') battle.trials.push(entry);
    if (entry.kind === 'cell' && !isOlder(entry, battle.cells.get(entry.id)))
      battle.cells.set(entry.id, entry);
    if (entry.kind === 'broker') battle.broker = entry;
    if (entry.kind === 'rows') battle.hasRows = true;
  }
  return [...battles.values()];
}

/**
 * The battles that did not finish, the newest first. What still runs, as far as it can be seen from here, is left out.
 * @param {readonly RecordedBattle[]} battles
 * @param {(owner: Owner) => Promise<boolean | null>} [runs] null: it cannot be seen
 * @returns {Promise<{recorded: RecordedBattle, isForeign: boolean}[]>} isForeign: begun by another user, or on another host or in another container
 */
export async function interruptedBattles(battles, runs = isRunning) {
  const interrupted = [];
  for (const recorded of battles.toReversed()) {
    if (isFinished(recorded)) continue;
    const {owner} = recorded.battle;
    const isUp = await runs(owner);
    if (isUp !== true) interrupted.push({recorded, isForeign: isUp === null || isOfOtherUser(owner)});
  }
  return interrupted;
}

/** @param {Owner} owner */
function isOfOtherUser({uid}) {
  return uid !== undefined && uid !== ownUid();
}

/**
 * Records the unfinished cells of battles whose process was killed as aborted.
 * @param {Pick<Journal<JournalEntry>, 'append'>} journal
 * @param {readonly RecordedBattle[]} battles
 * @param {{except?: string | null, runsHere?: (owner: Owner) => Promise<boolean | null>}} [options] except: the battle that is resumed now
 */
export async function recordKilledBattles(journal, battles, {except = null, runsHere = isRunning} = {}) {
  for (const {battle, cells: known} of battles) {
    if (battle.id === except || known.size === battle.cells.length) continue;
    // One on another host, or in another container, may still run.
    if ((await runsHere(battle.owner)) !== false) continue;
    const state = {
      id: battle.id,
      cells: battle.cells,
      progress: new Map(),
      values: /** @type {BattleValues} */ (battle.config),
      stoppedBy: null,
    };
    const records = makeRecords(state, battle, {complete: false});
    await journal.append(...records.filter(({id}) => !known.has(id)));
  }
}

/**
 * Whether a battle is over, and nothing of it is missing. Its line may be anything.
 * @param {RecordedBattle} recorded
 */
export function isFinished({battle, cells, hasRows}) {
  return (
    hasRows &&
    cells.size === battle.cells?.length &&
    [...cells.values()].every(({outcome}) => outcome !== 'aborted')
  );
}
