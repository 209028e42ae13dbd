import {makeRecords} from '../battle/make-records.js';
import {counted} from '../columns/names.js';
import {isRunning, thisProcess} from '../measure/system.js';
import {capWarnings, firstMistake} from '../results/journal.js';
import {isOlder} from '../results/newest-records.js';

/**
 * @import {ZodType} from 'zod'
 * @import {JournalEntry, Owner, TrialEntry} from '../battle/types.js'
 * @import {Journal} from '../results/journal.js'
 * @import {BattleValues} from '../settings/index.js'
 * @import {RecordedBattle} from './types.js'
 */

/** @param {readonly JournalEntry[]} entries of a journal @returns {RecordedBattle[]} in the order in which they began */
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
 * Returns the unfinished battles, the newest first, except those whose process is seen to run.
 * @param {readonly RecordedBattle[]} battles
 * @param {(owner: Owner) => Promise<boolean | null>} [runs] returns null if this process cannot see the owner
 * @returns {Promise<{recorded: RecordedBattle, isForeign: boolean}[]>} isForeign: begun by another user, on another host, or in another container
 */
export async function interruptedBattles(battles, runs = isRunning) {
  const interrupted = [];
  for (const recorded of battles.toReversed()) {
    if (isFinished(recorded)) continue;
    const {owner} = recorded.battle;
    const isUp = await runs(owner);
    const isOfOtherUser = owner.uid !== undefined && owner.uid !== ownUid();
    if (isUp !== true) interrupted.push({recorded, isForeign: isUp === null || isOfOtherUser});
  }
  return interrupted;
}

/**
 * Records unfinished cells as aborted, if the process of their battle was killed.
 * @param {Pick<Journal<JournalEntry>, 'append'>} journal @param {readonly RecordedBattle[]} battles
 * @param {{except?: string | null, runsHere?: (owner: Owner) => Promise<boolean | null>}} [options] except: the battle that is resumed now
 */
export async function recordKilledBattles(journal, battles, {except = null, runsHere = isRunning} = {}) {
  for (const {battle, cells: known} of battles) {
    if (battle.id === except || known.size === battle.cells.length) continue;
    // A battle on another host or in another container may still run.
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

/** Returns whether a battle is over and complete. @param {RecordedBattle} recorded its lines may be malformed */
export function isFinished({battle, cells, hasRows}) {
  return (
    hasRows &&
    cells.size === battle.cells?.length &&
    [...cells.values()].every(({outcome}) => outcome !== 'aborted')
  );
}

/**
 * Checks the lines of unfinished battles, because lines of a journal may be malformed. Omits battles, trials, cells and brokers whose line cannot be used.
 * @param {readonly RecordedBattle[]} battles
 */
export async function checkBattles(battles) {
  if (battles.every(isFinished)) return {battles: [...battles], warnings: []};
  // The schema loads zod, which takes half as long as loading the rest of a battle.
  const schema = await import('./journal-schema.js');
  /** @type {string[]} */
  const warnings = [];

  /** @template Line @param {string} what @param {ZodType} type @param {Line} line @returns {line is NonNullable<Line>} */
  const isUsable = (what, type, line) => {
    const {success, error} = type.safeParse(line);
    if (!success) warnings.push(`${what} is skipped: ${firstMistake(error)}.`);
    return success;
  };

  const usable = battles.flatMap((recorded) => {
    if (isFinished(recorded)) return recorded;
    const {battle, trials, cells, broker} = recorded;
    const name = `battle ${battle.id} of the journal`;
    if (!isUsable(`The ${name}`, schema.battleLine, battle)) return [];
    const numbers = new Set(battle.cells.map(({number}) => number));
    const trialLine = schema.trialLine.refine((trial) => numbers.has(trial.cell), {
      message: 'the battle has no such cell',
      path: ['cell'],
    });
    const usableTrials = trials.filter((trial) => isUsable(`A trial of the ${name}`, trialLine, trial));
    const {newest, older} = newestTrials(usableTrials);
    if (older > 0)
      warnings.push(
        `The ${name} has ${counted(older, 'trial')} more than once. Of each cell and round, the newest counts.`,
      );
    return {
      ...recorded,
      trials: newest,
      cells: new Map(
        [...cells].filter(([, cell]) => isUsable(`A cell of the ${name}`, schema.cellLine, cell)),
      ),
      broker: broker && isUsable(`A broker of the ${name}`, schema.brokerLine, broker) ? broker : null,
    };
  });
  return {battles: usable, warnings: capWarnings(warnings)};
}

/**
 * Returns the newest completed trial of each cell and round, and all failed trials. There may be older ones, if two processes ran the same battle, or if
 * journals were merged.
 * @param {readonly TrialEntry[]} trials @returns {{newest: TrialEntry[], older: number}} older: the number of trials that do not count
 */
function newestTrials(trials) {
  /** @type {Map<string, TrialEntry>} */
  const newest = new Map();
  for (const trial of trials) {
    if (trial.outcome !== 'completed') continue;
    // In version 0.1.0, the repeat of a disturbed trial had the same round.
    const place = `${trial.cell} ${trial.round} ${trial.repeat === true}`;
    const known = newest.get(place);
    if (!known || trial.startedAt >= known.startedAt) newest.set(place, trial);
  }
  const counting = new Set(newest.values());
  const kept = trials.filter((trial) => trial.outcome !== 'completed' || counting.has(trial));
  return {newest: kept, older: trials.length - kept.length};
}

/** @returns {Promise<Owner>} this process */
export async function thisOwner() {
  return {...(await thisProcess()), uid: ownUid()};
}

/** @returns null if the system has no user ids */
function ownUid() {
  return process.getuid?.() ?? null;
}
