import {resolve} from 'node:path';
import {withValues} from '../options/resolve.js';
import {faultPresetNamed} from '../presets/faults.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {conductFaults, documentOfFaults, planFaults} from '../session/faults/conduct-faults.js';
import {givenOptionsOfFaults, textsOf} from '../settings/given.js';
import {optionsOfFaultPlan} from '../settings/index.js';
import {completeSettings} from '../settings/resolve-battle.js';
import {resolveGiven, withTransports} from './battle.js';

/**
 * @import {FaultsDocument} from '../session/faults/conduct-faults.js'
 * @import {FaultSettings} from '../settings/index.js'
 * @import {GivenFaultSettings} from '../settings/given.js'
 */

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
