import {hostname} from 'node:os';
import {makeRecords} from '../battle/make-records.js';
import {isRunning} from '../measure/process-identity.js';

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
    if (entry.kind === 'trial') battle.trials.push(entry);
    if (entry.kind === 'cell') battle.cells.set(entry.id, entry);
    if (entry.kind === 'broker') battle.broker = entry;
    if (entry.kind === 'rows') battle.hasRows = true;
  }
  return [...battles.values()];
}

/**
 * The newest battle that did not finish. One that is still running on this host does not count.
 * @param {readonly RecordedBattle[]} battles
 * @param {(owner: Owner) => Promise<boolean | null>} [runsHere]
 * @returns {Promise<RecordedBattle | null>}
 */
export async function interruptedBattle(battles, runsHere = isRunning) {
  for (const recorded of battles.toReversed()) {
    if (!isFinished(recorded) && !(await runsHere(recorded.battle.owner))) return recorded;
  }
  return null;
}

/**
 * Records the unfinished cells of battles that were killed on this host as aborted.
 * @param {Pick<Journal<JournalEntry>, 'append'>} journal
 * @param {readonly RecordedBattle[]} battles
 * @param {{except?: string | null, runsHere?: (owner: Owner) => Promise<boolean | null>}} [options] except: the battle that is resumed now
 */
export async function recordKilledBattles(journal, battles, {except = null, runsHere = isRunning} = {}) {
  for (const {battle, cells: known} of battles) {
    if (battle.id === except || known.size === battle.cells.length) continue;
    if (battle.owner.hostname !== hostname() || (await runsHere(battle.owner))) continue;
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
