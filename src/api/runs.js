import {resolve} from 'node:path';
import {withScale} from '../battle/estimate.js';
import {nameOfCell} from '../columns/names.js';
import {UsageError} from '../errors.js';
import {camelCase} from '../options/option.js';
import {resolveOptions, withValues} from '../options/resolve.js';
import {faultPresetNamed} from '../presets/faults.js';
import {documentOf} from '../report/show-results.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {conductFaults} from '../session/faults/conduct-faults.js';
import {planFaults} from '../session/faults/plan-faults.js';
import {documentOfFaults} from '../session/faults/recorded-faults.js';
import {openJournal, prepareFiles} from '../session/open-journal.js';
import {planBattle} from '../session/plan-battle.js';
import {liveDeps, runSession} from '../session/run-session.js';
import {storeResults} from '../session/store-results.js';
import {bringTransports, namesIn, specifierOf} from '../settings/bring-transports.js';
import {givenOptionsOfFaults, settingsIn, textsOf} from '../settings/given.js';
import {allOptions, optionsOfBattle, optionsOfFaultPlan} from '../settings/index.js';
import {completeSettings} from '../settings/resolve-battle.js';
import {defaultTransportNames, transportsOfGroup} from '../transports/index.js';

/**
 * @import {BattleEvent, Cell} from '../battle/types.js'
 * @import {RunError} from '../errors.js'
 * @import {Option} from '../options/contract.js'
 * @import {FaultsDocument} from '../session/faults/types.js'
 * @import {SessionDeps} from '../session/run-session.js'
 * @import {GivenFaultSettings, GivenSettings} from '../settings/given.js'
 * @import {BattleSettings, FaultSettings} from '../settings/index.js'
 */

/**
 * @typedef {ReturnType<typeof documentOf>} BattleDocument the document of --json: `battle`, and `cells` with one record per cell; also
 *   `expectations`, if the settings have any
 *
 * @typedef {GivenSettings & {transports?: readonly unknown[] | undefined}} GivenBattle transports: paths, packages, or results of `defineTransport`
 *
 * @typedef {Promise<BattleDocument> & AsyncIterable<ProgressEvent>} Battle a promise of the results. A `for await` over it yields all events
 *   from the beginning, and throws the error of the battle at the end
 */

/**
 * Runs a battle like the command, and prints nothing. A failed cell has a record with its error. Only an error that ends the whole battle is thrown.
 * @param {GivenBattle} [given] the options of a battle. With `results`, rows are appended to that file, and records to the journal next to it.
 *   Without `results`, no file is written. `transports` are your own; `transport` can name them, and without `transport` they join the default ones
 * @param {{signal?: AbortSignal}} [control] signal: ends the battle and all of its processes
 * @returns {Battle} rejects with a UsageError for settings that are not allowed, with a RunError when results cannot be stored, and with the
 *   reason of the signal
 */
export function battle(given = {}, {signal = new AbortController().signal} = {}) {
  /** @type {EventLog<ProgressEvent>} */
  const events = new EventLog();
  const result = runBattle(given, events, signal).finally(() => events.end());
  return Object.assign(result, {
    [Symbol.asyncIterator]: () => {
      // The reader of the events receives the error at their end.
      result.catch(() => {});
      return readAll(events, result);
    },
  });
}

/** @param {EventLog<ProgressEvent>} events @param {Promise<unknown>} result */
async function* readAll(events, result) {
  yield* events.read();
  await result;
}

/** @param {GivenBattle} given @param {EventLog<ProgressEvent>} events @param {AbortSignal} signal */
async function runBattle(given, events, signal) {
  signal.throwIfAborted();
  const settings = settingsOf(await withTransports(given, 'battle()'));
  const warn = (/** @type {string} */ text) => events.push({type: 'warning', text});
  const deps = {...liveDeps, makeProgress: progressTo(events)};
  const run = given.results === undefined ? runUnstored : runStored;
  return documentOf(await run(settings, {warn, deps, signal}));
}

/**
 * Loads the transports in `transports` and the ones that `transport` names.
 * @template {{transports?: readonly unknown[] | undefined, transport?: unknown}} Given
 * @param {Given} asked
 * @param {string} where the function whose argument `asked` is
 * @returns {Promise<Omit<Given, 'transports'>>}
 * @throws {UsageError} when a transport cannot be used
 */
async function withTransports(asked, where) {
  const {transports = [], ...given} = settingsIn(asked, where);
  const own = await bringTransports(transports.map(specifierOf));
  const {transport = own.length > 0 ? [...defaultTransportNames, ...own.map(({name}) => name)] : undefined} =
    given;
  if (transport === undefined) return given;
  const names = namesIn([transport].flat().map(String));
  const guests = [...own, ...(await bringTransports(names))];
  // A transport of an earlier battle of this process is not in a group of this one.
  return {...given, transport: names.flatMap((name) => transportsOfGroup(name, guests) ?? [name])};
}

/** @typedef {{warn: (warning: string) => void, deps: SessionDeps, signal: AbortSignal}} Surroundings of a battle */

/** @param {BattleSettings} asked @param {Surroundings} surroundings */
async function runStored(asked, {warn, deps, signal}) {
  const {journal, battles, guarantees} = await openJournal(asked.values.results, warn);
  const planned = await planBattle(asked, {battles, guarantees, path: journal.path, warn});
  const {results, exports} = planned.settings.values;
  await prepareFiles(journal, battles, {results, exports, resumed: planned.state.id, signal});
  const finished = await runSession({...planned, journal, signal}, deps);
  // The calling program prints the results, if it wants to.
  const settings = withValues(planned.settings, {quiet: true});
  await storeResults([finished], {settings, journal, signal});
  return finished;
}

/** @param {BattleSettings} asked @param {Surroundings} surroundings */
async function runUnstored(asked, {warn, deps, signal}) {
  const needsFile = asked.values.resume ? 'resume' : asked.values.exports !== null ? 'export' : null;
  if (needsFile !== null)
    throw new UsageError(`${needsFile} needs a results file: give results, such as 'results.md'.`);
  const planned = await planBattle(asked, {battles: [], path: 'none', warn});
  return await runSession({...planned, journal: {append: async () => {}}, signal}, deps);
}

/** @param {EventLog<ProgressEvent>} events @returns {SessionDeps['makeProgress']} */
function progressTo(events) {
  const note = (/** @type {string} */ text) => void events.push({type: 'note', text});
  return ({id}) => ({
    note,
    tell: note,
    warn: (text) => void events.push({type: 'warning', text}),
    onEvent: (event) => events.push(progressEventOf(event, id)),
    end: (reason = null) => {
      if (reason !== null) note(reason);
    },
  });
}

/**
 * Resolves the settings that a program passes to `battle()`. The environment and `.env` are not read.
 * @param {GivenSettings} settings @returns {BattleSettings}
 * @throws {UsageError} for an unknown name, or a value that is not allowed
 */
export function settingsOf(settings) {
  const asked = resolveGiven(optionsOfBattle, textsOf(settings, 'battle()'));
  return withScale(completeSettings(asked, optionsOfBattle));
}

/**
 * @template {Option} One
 * @param {readonly One[]} mine the options that are allowed
 * @param {Readonly<Record<string, readonly string[]>>} texts by flag, without dashes
 */
function resolveGiven(mine, texts) {
  // The values count as flags, because they apply to this run only.
  const originOf = (/** @type {Option} */ {name}) => ({
    kind: /** @type {const} */ ('flag'),
    name: camelCase(name),
  });
  return resolveOptions(allOptions, {scope: 'battle', mine, given: {texts, originOf}});
}

/**
 * Events in the order in which they happened. Each reader receives all events, including earlier ones.
 * @template Event
 */
export class EventLog {
  /** @type {Event[]} */
  #events = [];
  #hasEnded = false;
  /** Readers that wait for the next event. @type {(() => void)[]} */
  #waiting = [];

  /** @param {Event} event */
  push(event) {
    this.#events.push(event);
    this.#wake();
  }

  end() {
    this.#hasEnded = true;
    this.#wake();
  }

  /** @returns {AsyncGenerator<Event, void, void>} */
  async *read() {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length) {
        if (this.#hasEnded) return;
        await /** @type {Promise<void>} */ (new Promise((resolve) => this.#waiting.push(resolve)));
      }
      yield this.#events[next];
    }
  }

  #wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/**
 * An event of a running battle.
 *
 * @typedef {{type: 'note' | 'warning', text: string}
 *   | {type: 'broker', label: string}
 *   | {type: 'broker-missing', message: string}
 *   | {type: 'round', round: number, cells: PlannedCell[]}
 *   | {type: 'trial', round: number, cell: PlannedCell}
 *   | {type: 'cycle', cells: PlannedCell[], done: number}
 *   | {type: 'trial-done', round: number, cell: PlannedCell, msPerMessage: number, disturbed: boolean}
 *   | {type: 'cell-failed', cell: PlannedCell, message: string}} ProgressEvent round: a round begins, with its cells in their order;
 *   trial: a trial begins; cycle: `cells` are measured in turn, in slices, and the share `done` of the slices is over;
 *   msPerMessage: the mean round trip of the trial, or its time per message
 *
 * @typedef {{id: string, name: string, transport: string, variant: Readonly<Record<string, unknown>>, workload: string, payloadBytes: number}}
 *   PlannedCell id: the id of its future record; name: the name in tables
 */

/** @param {BattleEvent} event @param {string} battleId @returns {ProgressEvent} */
function progressEventOf(event, battleId) {
  const planned = (/** @type {Cell} */ cell) => plannedCell(cell, battleId);
  switch (event.type) {
    case 'round':
      return {type: 'round', round: event.round, cells: event.groups.flat().map(planned)};
    case 'cycle':
      return {...event, cells: event.cells.map(planned)};
    case 'trial':
      return {type: 'trial', round: event.round, cell: planned(event.cell)};
    case 'trial-done': {
      const {round, cell, figureMs, disturbed} = event;
      return {type: 'trial-done', round, cell: planned(cell), msPerMessage: figureMs, disturbed};
    }
    case 'cell-failed':
      return {type: 'cell-failed', cell: planned(event.cell), message: event.message};
    default:
      return event;
  }
}

/** @param {Cell} cell @param {string} battleId @returns {PlannedCell} */
function plannedCell(cell, battleId) {
  const {number, transport, variant, workload, payloadBytes} = cell;
  return {id: `${battleId}-${number}`, name: nameOfCell(cell), transport, variant, workload, payloadBytes};
}

/**
 * Injects faults into brokers and servers like `perf-battle faults`, and prints nothing. `notTried` lists the faults that could not be injected, and a
 * failed row has an error. Only an error that ends the whole run is thrown.
 * @param {GivenFaultSettings & {transports?: readonly unknown[] | undefined}} [given] the options of `perf-battle faults`. With `results`, records are
 *   appended to the journal next to that file. Without `results`, no file is written. `transports` are your own
 * @param {{signal?: AbortSignal, onNote?: (line: string) => void}} [control] signal: ends the run and all of its processes; onNote: receives the lines
 *   that the command prints on standard error
 * @returns {Promise<FaultsDocument>} rejects with a UsageError for settings that are not allowed
 */
export async function faults(given = {}, {signal = new AbortController().signal, onNote = () => {}} = {}) {
  signal.throwIfAborted();
  const brought = await withTransports(given, 'faults()');
  const {all} = optionsOfFaultPlan();
  const asked = resolveGiven(all, textsOf(brought, 'faults()', givenOptionsOfFaults()));
  const settings = /** @type {FaultSettings} */ (/** @type {unknown} */ (asked));
  const preset = faultPresetNamed(settings.values.preset);
  const plan = planFaults(completeSettings(withValues(settings, {preset: null}), all), preset);
  for (const warning of plan.warnings) onNote(warning);
  const journal =
    given.results === undefined ? null : new Journal(journalPathFor(resolve(settings.values.results)));
  await journal?.assertWritable();
  const append = async (/** @type {{kind: string}[]} */ ...entries) => await journal?.append(...entries);
  return documentOfFaults(await conductFaults(plan, {append, note: onNote, signal}));
}
