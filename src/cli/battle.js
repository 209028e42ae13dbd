import {faultPresetNamed, faultPresetNames} from '../presets/faults.js';
import {allPresets} from '../presets/index.js';
import {optionsOfBattle} from '../settings/index.js';
import {printSettings} from './print-settings.js';
import {printWarning} from './print-warning.js';
import {readGiven, settled} from './read-settings.js';

/**
 * `perf-battle`: resolves the settings, plans, runs, reports.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
export async function battle(commandLine, signal) {
  // A battle in which something breaks has a load and a result of its own.
  if (commandLine.some(asksForFaults)) return await doFaults(commandLine, signal);
  const given = await readGiven(commandLine, optionsOfBattle);
  if (faultPresetNamed(given.values.preset)) return await doFaults(commandLine, signal);
  const areAll = given.values.preset === allPresets;
  const asked = areAll ? given : await settled(given, optionsOfBattle);
  for (const warning of asked.warnings) printWarning(warning);
  if (asked.values.printConfig) return printSettings(asked);
  // Each of these loads two thirds of the program. Settings that are refused are reported without it.
  if (areAll) return await (await import('./all-presets.js')).runAllPresets(given, signal);
  const {planAndRun} = await import('./plan-and-run.js');
  return await planAndRun(asked, signal);
}

/** @param {string} word */
function asksForFaults(word) {
  return /^--fault(=|$)/.test(word) || faultPresetNames.includes(word.replace(/^--preset=/, ''));
}

/** @param {readonly string[]} commandLine @param {AbortSignal} signal */
async function doFaults(commandLine, signal) {
  return await (await import('./faults.js')).faults(commandLine, signal);
}
