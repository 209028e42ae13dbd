import {UsageError} from '../errors.js';
import {maskPassword, quote} from '../files/given-text.js';
import {isRunning} from '../measure/processes.js';
import {bringTransports} from '../settings/bring-transports.js';
import {resumeSettings} from '../settings/resume.js';
import {findTransport} from '../transports/index.js';
import {thisOwner} from './owner.js';
import {interruptedBattles, isFinished} from './recorded-battles.js';

/**
 * @import {Cell} from '../battle/cell.js'
 * @import {JournalEntry, TrialEntry} from '../battle/journal-entries.js'
 * @import {CellProgress} from '../battle/state.js'
 * @import {HeldJournal} from '../results/journal.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {RecordedBattle} from './recorded-battles.js'
 * @import {SessionRequest} from './run-session.js'
 */

/**
 * Restores the interrupted battle from the journal, with its own configuration and its finished trials.
 *
 * @param {BattleSettings} asked
 * @param {readonly RecordedBattle[]} battles
 * @param {string} journalPath for messages
 * @param {Parameters<typeof interruptedBattles>[1]} [runsHere] whether the process of a battle still runs
 * @param {(question: string) => Promise<boolean | null>} [ask] a person, about a battle that is not ours; null: there is nobody to ask
 * @returns {Promise<Pick<SessionRequest, 'settings' | 'state' | 'known'>>}
 * @throws {UsageError} when there is none, or the user asks for another configuration
 */
export async function resumeBattle(asked, battles, journalPath, runsHere, ask = async () => null) {
  const interrupted = await interruptedBattles(battles, runsHere);
  const {takeOver} = asked.values;
  const chosen = interrupted.find(({isForeign}) => takeOver || !isForeign) ?? interrupted[0];
  if (!chosen) throw nothingToResume(battles, journalPath);
  const {recorded, isForeign} = chosen;
  if (isForeign && !takeOver) await refuseForeign(recorded, ask);
  const {battle, trials, broker} = recorded;
  await bringTransportsOf(battle.cells);
  const settings = resumeSettings(asked, battle.config);
  const {values} = settings;
  const progress = progressFrom(trials);
  const state = {id: battle.id, cells: battle.cells, progress, values, stoppedBy: null};
  const known = {
    startedAt: battle.startedAt,
    ...(broker && {versions: broker.versions, brokers: broker.brokers}),
  };
  return {settings, state, known};
}

/** @param {readonly Cell[]} cells @throws {UsageError} for a transport that is not there any more */
async function bringTransportsOf(cells) {
  await bringTransports([...new Set(cells.flatMap(({module}) => module?.url ?? []))]);
  const missing = cells.find(({transport}) => !findTransport(transport));
  if (missing)
    throw new UsageError(
      `--resume needs the transport ${quote(missing.transport)}, which this version of perf-battle does not have.`,
    );
}

/** @param {readonly RecordedBattle[]} battles @param {string} journalPath */
function nothingToResume(battles, journalPath) {
  const running = battles.findLast((recorded) => !isFinished(recorded));
  const found = `--resume found no interrupted battle in ${maskPassword(journalPath)}`;
  if (running) return new UsageError(`${found}: ${isBeingRun(running)}. Wait for that process to end.`);
  return new UsageError(`${found}. Run without it to start one.`);
}

/** @param {RecordedBattle} recorded */
function isBeingRun({battle: {id, owner}}) {
  return `process ${owner.pid} on ${owner.hostname} runs battle ${id}`;
}

/**
 * @param {RecordedBattle} recorded
 * @param {(question: string) => Promise<boolean | null>} ask
 */
async function refuseForeign({battle}, ask) {
  const {id, owner, cells, config} = battle;
  const who = `process ${owner.pid} on ${JSON.stringify(owner.hostname)}`;
  const uses = usedBy(cells, config).map((one) => `  ${JSON.stringify(one)}\n`);
  const runs = uses.length === 0 ? '' : ` It uses these programs and hosts:\n${uses.join('')}`;
  const began = `Battle ${id} was begun by another user, or on another host or in another container (${who}), and may still run there.${runs}`;
  const answer = await ask(`${began}${runs === '' ? ' ' : ''}Continue it here? [y/N] `);
  if (answer === true) return;
  if (answer === false) throw new UsageError(`Battle ${id} was not resumed.`);
  throw new UsageError(
    `--resume asks first: ${began}${runs === '' ? ' ' : ''}There is no terminal to ask on. If it does not run any more, and you trust the journal, add --take-over.`,
  );
}

/**
 * The programs that a battle starts, and the hosts that it connects to.
 * @param {readonly Cell[]} cells
 * @param {Readonly<Record<string, unknown>>} config
 * @returns {string[]}
 */
function usedBy(cells, config) {
  const programs = cells.flatMap(({transport, variant, module}) => {
    const {runsPrograms = false, options = []} = findTransport(transport) ?? {};
    /** @type {Record<string, any>} */
    const values = variant;
    const given = runsPrograms ? options.map(({key}) => values[key]) : [];
    return [
      ...given.flatMap((one) => [one?.server, one?.client]),
      module?.specifier,
      values.node,
      values.folder,
      values.programsIn,
    ];
  });
  const hosts = ['clientOn', 'serverOn', 'brokerOn', 'sshConfig', 'broker'].flatMap((key) => config[key]);
  return [
    ...new Set(
      [...programs, ...hosts].filter((one) => typeof one === 'string' && one !== 'auto' && one !== 'private'),
    ),
  ];
}

/**
 * Makes this process the owner of the battle that it resumes, unless another one was faster.
 * @param {RecordedBattle} before as it was when it was chosen
 * @param {Pick<HeldJournal<JournalEntry>, 'append'>} journal whose lock is held
 * @param {RecordedBattle | undefined} now as it is under the lock
 * @throws {UsageError}
 */
export async function claimBattle(before, journal, now) {
  const owner = await thisOwner();
  if (now && JSON.stringify(stateOf(now)) === JSON.stringify(stateOf(before)))
    return await journal.append({kind: 'owner', battleId: before.battle.id, owner});
  const isUp = now && !isFinished(now) && (await isRunning(now.battle.owner)) !== false;
  throw new UsageError(
    isUp
      ? `--resume came too late: ${isBeingRun(now)}. Wait for that process to end.`
      : `--resume came too late: another process went on with battle ${before.battle.id}. If it was interrupted again, repeat the command.`,
  );
}

/** @param {RecordedBattle} recorded */
function stateOf({battle: {owner}, trials, cells, hasRows}) {
  return {owner, trials: trials.length, cells: [...cells.values()].map(({outcome}) => outcome), hasRows};
}

/**
 * Finished trials are kept. Failed ones run again.
 * @param {readonly TrialEntry[]} trials
 * @returns {Map<number, CellProgress>}
 */
function progressFrom(trials) {
  /** @type {Map<number, CellProgress>} */
  const progress = new Map();
  for (const trial of trials) {
    if (trial.outcome !== 'completed') continue;
    const known = progress.get(trial.cell) ?? {trials: [], error: null};
    progress.set(trial.cell, {...known, trials: [...known.trials, trial]});
  }
  return progress;
}
