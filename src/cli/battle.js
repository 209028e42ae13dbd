import {UsageError} from '../errors.js';
import {faultPresetNamed} from '../presets/faults.js';
import {allPresets} from '../presets/index.js';
import {optionsOfBattle, optionsOfFaults} from '../settings/index.js';
import {printSettings, printWarning, readGiven, withDerived} from './read-settings.js';

/** @import {Option, Settings} from '../options/contract.js' */

/** `perf-battle`: resolves the settings, plans, runs, reports. @param {readonly string[]} commandLine @param {AbortSignal} signal */
export async function battle(commandLine, signal) {
  // A run with faults has another load and another kind of result than a battle.
  if (await asksForFaults(commandLine))
    return await (await import('./faults.js')).faults(commandLine, signal);
  const given = await readGiven(commandLine, optionsOfBattle);
  const areAll = given.values.preset === allPresets;
  const asked = areAll ? given : await withDerived(given, optionsOfBattle);
  for (const warning of asked.warnings) printWarning(warning);
  if (asked.values.printConfig) return printSettings(asked);
  // Both imports load two thirds of the program, so they come after the settings are checked.
  if (areAll) return await (await import('./all-presets.js')).runAllPresets(given, signal);
  const {planAndRun} = await import('./plan-and-run.js');
  return await planAndRun(asked, signal);
}

/** @param {readonly string[]} commandLine */
async function asksForFaults(commandLine) {
  const ofBattle = /** @type {readonly Option[]} */ (optionsOfBattle);
  const ofFaults = optionsOfFaults.filter(({name}) => !ofBattle.some((option) => option.name === name));
  try {
    const {values, origins} = await readGiven(commandLine, [...ofBattle, ...ofFaults]);
    const {fault} = /** @type {Settings['origins']} */ (origins);
    return fault.kind === 'flag' || faultPresetNamed(values.preset) !== null;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // The command that reads the command line next reports the error.
    return commandLine.some((word) => /^--fault(=|$)/.test(word));
  }
}
