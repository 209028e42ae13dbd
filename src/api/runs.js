import {resolve} from 'node:path';
import {withScale} from '../battle/estimate.js';
import {nameOfCell} from '../columns/names.js';
import {UsageError} from '../errors.js';
import {camelCase} from '../options/option.js';
import {resolveOptions, withValues} from '../options/resolve.js';
import {faultPresetNamed} from '../presets/faults.js';
import {documentOf} from '../report/show-results.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {conductFaults, documentOfFaults} from '../session/faults/conduct-faults.js';
import {planFaults} from '../session/faults/plan-faults.js';
import {openJournal, prepareFiles} from '../session/open-journal.js';
import {planBattle} from '../session/plan-battle.js';
import {liveDeps, runSession} from '../session/run-session.js';
import {storeResults} from '../session/store-results.js';
import {bringTransports, namesIn, specifierOf} from '../settings/bring-transports.js';
import {givenOptionsOfFaults, settingsIn, textsOf} from '../settings/given.js';
import {allOptions, optionsOfBattle, optionsOfFaultPlan} from '../settings/index.js';
import {completeSettings} from '../settings/resolve-battle.js';
import {defaultTransportNames} from '../transports/index.js';

/**
 * @import {BattleEvent, Cell} from '../battle/types.js'
 * @import {RunError} from '../errors.js'
 * @import {Option} from '../options/contract.js'
 * @import {FaultsDocument} from '../session/faults/conduct-faults.js'
 * @import {SessionDeps} from '../session/run-session.js'
 * @import {GivenFaultSettings, GivenSettings} from '../settings/given.js'
 * @import {BattleSettings, FaultSettings} from '../settings/index.js'
 */

/**
 * @typedef {ReturnType<typeof documentOf>} BattleDocument what --json prints: `battle`, and `cells` with a record each; also `expectations`,
 *   if any were given
 *
 * @typedef {GivenSettings & {transports?: readonly unknown[] | undefined}} GivenBattle transports: paths, packages, or what `defineTransport` returned
 *
 * @typedef {Promise<BattleDocument> & AsyncIterable<ProgressEvent>} Battle a promise of the results. Read in a `for await`, it gives what
 *   happens meanwhile, from the beginning, and at the end throws what the battle throws
 */

/**
 * Runs a battle as the command does, and prints nothing. A cell that fails has a record that says so; only what ends the whole battle is thrown.
 * @param {GivenBattle} [given] the options of a battle. With `results`, rows are appended to that file, and the journal beside it is kept, as by
 *   the command; without it, no file is written. transports: of one's own, which `transport` can name; without it they are added to those of a battle
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
      // The reader gets the error at the end of the events.
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
 * Brings the transports that a program has, and those that it names.
 * @template {{transports?: readonly unknown[] | undefined, transport?: unknown}} Given
 * @param {Given} asked
 * @param {string} where the function that got it
 * @returns {Promise<Omit<Given, 'transports'>>}
 * @throws {UsageError} when one cannot be used
 */
async function withTransports(asked, where) {
  const {transports = [], ...given} = settingsIn(asked, where);
  const own = await bringTransports(transports.map(specifierOf));
  const {transport = own.length > 0 ? [...defaultTransportNames, ...own.map(({name}) => name)] : undefined} =
    given;
  await bringTransports(namesIn([transport ?? []].flat().map(String)));
  return {...given, ...(transport !== undefined && {transport})};
}

/** @typedef {{warn: (warning: string) => void, deps: SessionDeps, signal: AbortSignal}} Surroundings of a battle */

/** @param {BattleSettings} asked @param {Surroundings} surroundings */
async function runStored(asked, {warn, deps, signal}) {
  const {journal, battles, guarantees} = await openJournal(asked.values.results, warn);
  const planned = await planBattle(asked, {battles, guarantees, path: journal.path, warn});
  const {results, exports} = planned.settings.values;
  await prepareFiles(journal, battles, {results, exports, resumed: planned.state.id, signal});
  const finished = await runSession({...planned, journal, signal}, deps);
  // Quiet: a program prints what it wants.
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
 * The settings of a battle from what a program gives. The environment and `.env` are not read.
 * @param {GivenSettings} settings @returns {BattleSettings}
 * @throws {UsageError} for an unknown name, or a value that is not allowed
 */
export function settingsOf(settings) {
  const asked = resolveGiven(optionsOfBattle, textsOf(settings, 'battle()'));
  return withScale(completeSettings(asked, optionsOfBattle));
}

/**
 * @template {Option} One
 * @param {readonly One[]} mine what may be given
 * @param {Readonly<Record<string, readonly string[]>>} texts by flag, without dashes
 */
function resolveGiven(mine, texts) {
  // As flags: they are for this run alone.
  const originOf = (/** @type {Option} */ {name}) => ({
    kind: /** @type {const} */ ('flag'),
    name: camelCase(name),
  });
  return resolveOptions(allOptions, {scope: 'battle', mine, given: {texts, originOf}});
}

/**
 * Events in the order in which they happened. Each reader gets all of them, also those from before it began to read.
 * @template Event
 */
export class EventLog {
  /** @type {Event[]} */
  #events = [];
  #hasEnded = false;
  /** Readers that wait for something new. @type {(() => void)[]} */
  #waiting = [];

  /** @param {Event} event */
  push(event) {
    this.#events.push(event);
    this.#wake();
  }

  /** No event follows. */
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
 * What happens while a battle runs.
 *
 * @typedef {{type: 'note' | 'warning', text: string}
 *   | {type: 'broker', label: string}
 *   | {type: 'broker-missing', message: string}
 *   | {type: 'round', round: number, cells: PlannedCell[]}
 *   | {type: 'trial', round: number, cell: PlannedCell}
 *   | {type: 'cycle', cells: PlannedCell[], done: number}
 *   | {type: 'trial-done', round: number, cell: PlannedCell, msPerMessage: number, disturbed: boolean}
 *   | {type: 'cell-failed', cell: PlannedCell, message: string}} ProgressEvent round: of its cells, in their order; trial: it begins;
 *   cycle: these are measured in turn, in slices, and the share `done` of it is over;
 *   msPerMessage: the mean round trip of the trial, or its time for a message
 *
 * @typedef {{id: string, name: string, transport: string, variant: Readonly<Record<string, unknown>>, workload: string, payloadBytes: number}}
 *   PlannedCell id: of the record that it will have; name: for a person
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
 * Does faults to brokers and servers as `perf-battle faults` does, and prints nothing. What could not be done is in `notTried`, and a row that has failed
 * has an error; only what ends the whole run is thrown.
 * @param {GivenFaultSettings & {transports?: readonly unknown[] | undefined}} [given] the options of `perf-battle faults`. With `results`, the journal beside
 *   that file gets the records; without it, no file is written. transports: of one's own
 * @param {{signal?: AbortSignal, onNote?: (line: string) => void}} [control] signal: ends the run and all of its processes; onNote: gets what the command
 *   prints on standard error
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
  const journal =
    given.results === undefined ? null : new Journal(journalPathFor(resolve(settings.values.results)));
  await journal?.assertWritable();
  const append = async (/** @type {{kind: string}[]} */ ...entries) => await journal?.append(...entries);
  return documentOfFaults(await conductFaults(plan, {append, note: onNote, signal}));
}
