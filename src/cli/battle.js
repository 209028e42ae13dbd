import {describeSettings} from '../settings/describe-settings.js';
import {printWarning} from './print-warning.js';
import {readSettings} from './read-settings.js';

/**
 * `perf-battle`: resolves the settings, plans, runs, reports.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
export async function battle(commandLine, signal) {
  const asked = await readSettings(commandLine);
  for (const warning of asked.warnings) printWarning(warning);
  if (asked.values.printConfig) {
    process.stdout.write(describeSettings(asked));
    return 0;
  }
  // This loads two thirds of the program. Settings that are refused are reported without it.
  const {planAndRun} = await import('./plan-and-run.js');
  return await planAndRun(asked, signal);
}
