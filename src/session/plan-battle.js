import {checkEffects} from '../battle/effects.js';
import {guaranteesFor} from '../battle/guarantees.js';
import {describeLeftOut} from '../battle/plan.js';
import {newBattle} from '../battle/state.js';
import {UsageError} from '../errors.js';
import {refuseUnanswerable} from '../expect/expectation.js';
import {maskPassword, quote} from '../files/quote.js';
import {isRunning} from '../measure/system.js';
import {isMasked} from '../options/show-option.js';
import {bringTransports} from '../settings/bring-transports.js';
import {optionsOf} from '../settings/describe-settings.js';
import {findTransport} from '../transports/index.js';
import {interruptedBattles, isFinished, thisOwner} from './recorded-battles.js';

/**
 * @import {Cell, CellProgress, JournalEntry, MeasuredGuarantee, TrialEntry} from '../battle/types.js'
 * @import {Option, Origin, Settings} from '../options/contract.js'
 * @import {HeldJournal} from '../results/journal.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {RecordedBattle, SessionRequest} from './types.js'
 */

/**
 * Plans a battle. With `resume`, restores the interrupted battle of a journal.
 * @param {BattleSettings} asked @param {object} recorded @param {readonly RecordedBattle[]} recorded.battles
 * @param {readonly MeasuredGuarantee[]} [recorded.guarantees] @param {string} recorded.path the path of the journal, for messages
 * @param {(warning: string) => void} recorded.warn
 * @param {boolean} [recorded.isOneOfSeveral] if true, settings without effect are not reported, because they may have one in another battle
 * @param {(question: string) => Promise<boolean | null>} [recorded.ask] asks the user
 * @returns {Promise<Pick<SessionRequest, 'settings' | 'state' | 'known'>>}
 * @throws {UsageError} when the settings contradict each other, or there is nothing to resume
 */
export async function planBattle(asked, {battles, guarantees = [], path, warn, ask, isOneOfSeveral = false}) {
  const planned = asked.values.resume
    ? await resumeBattle(asked, battles, path, undefined, ask)
    : {settings: asked, state: newBattle(asked)};
  const {settings, state} = planned;
  state.guarantees = guaranteesFor(guarantees, settings);
  // The settings of the interrupted battle were checked at its start.
  /** @type {Settings['origins']} */
  const origins = settings.origins;
  const isChecked = (/** @type {string} */ key) => !asked.values.resume || origins[key].kind === 'flag';
  if (!asked.values.resume) for (const warning of describeLeftOut(settings)) warn(warning);
  if (!isOneOfSeveral) for (const warning of checkEffects(settings, state.cells, isChecked)) warn(warning);
  refuseUnanswerable(settings.values.expect ?? [], state.cells);
  return planned;
}

/**
 * Restores the interrupted battle from the journal, with its own configuration and its finished trials.
 * @param {BattleSettings} asked @param {readonly RecordedBattle[]} battles @param {string} journalPath for messages
 * @param {Parameters<typeof interruptedBattles>[1]} [runsHere] whether the process of a battle still runs
 * @param {(question: string) => Promise<boolean | null>} [ask] asks the user whether to continue a foreign battle; null if there is no terminal
 * @returns {Promise<Pick<SessionRequest, 'settings' | 'state' | 'known'>>}
 * @throws {UsageError} when there is no interrupted battle, or the user asks for another configuration
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
    ...(broker && {
      versions: broker.versions,
      brokers: broker.brokers,
      brokerVersions: broker.brokerVersions,
    }),
  };
  return {settings, state, known};
}

/** @param {readonly Cell[]} cells */
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

/** @param {RecordedBattle} recorded @param {(question: string) => Promise<boolean | null>} ask */
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
 * Returns the programs that a battle starts, and the hosts that it connects to.
 * @param {readonly Cell[]} cells @param {Readonly<Record<string, unknown>>} config @returns {string[]}
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
      values.runtime,
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
 * Makes this process the owner of a resumed battle.
 * @param {RecordedBattle} before the battle when it was chosen @param {Pick<HeldJournal<JournalEntry>, 'append'>} journal whose lock is held
 * @param {RecordedBattle | undefined} now the battle under the lock @throws {UsageError} when another process was faster
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

/** Keeps completed trials. Failed trials run again. @param {readonly TrialEntry[]} trials */
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

/**
 * Returns the settings of a resumed battle. They are the settings of its start, except for options that may be given with --resume, and for
 * secrets, which the journal does not store.
 * @template {Settings} Whole @param {Whole} asked settings that the user gave with --resume
 * @param {Readonly<Record<string, unknown>>} stored values by key, from the journal @param {readonly Option[]} [options] @returns {Whole}
 * @throws {UsageError} when the user asks for another configuration, or must give a secret again
 */
export function resumeSettings(asked, stored, options = optionsOf(stored)) {
  const resumed = options.map((option) => ({key: option.key, ...resumeOne(option, asked, stored)}));
  return {
    ...asked,
    values: {...asked.values, ...Object.fromEntries(resumed.map(({key, value}) => [key, value]))},
    origins: {...asked.origins, ...Object.fromEntries(resumed.map(({key, origin}) => [key, origin]))},
  };
}

/** @type {Origin} */
const defaultOrigin = {kind: 'default', name: 'default'};

/** @param {Option} option @param {Settings} asked @param {Readonly<Record<string, unknown>>} stored @returns {{value: unknown, origin: Origin}} */
function resumeOne(option, {values, origins}, stored) {
  const {key, resumable, secret, battleDefault} = option;
  // The transport of this option was loaded after the options were read.
  const isNew = !(key in values);
  const given = isNew
    ? {value: battleDefault, origin: defaultOrigin}
    : {value: values[key], origin: origins[key]};
  const lostItsSecret = secret && (!(key in stored) || isMasked(stored[key]));
  if (lostItsSecret && key in stored && given.origin.kind === 'default')
    throw needsAgain(option, stored[key]);
  if (lostItsSecret || resumable === 'anew' || !(key in stored)) return given;
  if (given.origin.kind === 'flag' && resumable !== 'override') throw cannotChange(given.origin);
  if (given.origin.kind !== 'default' && resumable === 'override') return given;
  return {value: stored[key], origin: originOf(stored[key], option.battleDefault)};
}

/** @param {Option} option @param {unknown} masked */
function needsAgain({name, environmentName}, masked) {
  return new UsageError(
    `The interrupted battle used --${name} ${masked}. The journal does not store its secret, so give it again: --resume --${name} VALUE, or ${environmentName}.`,
  );
}

/** @param {Origin} origin */
function cannotChange({name}) {
  return new UsageError(
    `--resume uses the configuration of the interrupted battle, so ${name} cannot be changed. Remove it.`,
  );
}

/** @param {unknown} value @param {unknown} fallback @returns {Origin} */
function originOf(value, fallback) {
  const isDefault = JSON.stringify(value) === JSON.stringify(fallback);
  return isDefault ? defaultOrigin : {kind: 'journal', name: 'the interrupted battle'};
}
