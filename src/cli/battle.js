import {describeSettings} from '../settings/describe-settings.js';
import {readSettings} from './read-settings.js';

/**
 * `perf-battle`: resolves the settings, plans, runs, reports.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
export async function battle(commandLine, signal) {
  const asked = await readSettings(commandLine);
  for (const warning of asked.warnings) process.stderr.write(`Warning: ${warning}\n`);
  if (asked.values.printConfig) {
    process.stdout.write(describeSettings(asked));
    return 0;
  }
  // Two thirds of the program, which settings that are refused do not wait for.
  const {runBattle} = await import('./run-battle.js');
  return await runBattle(asked, signal);
}
