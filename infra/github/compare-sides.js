import {runPerfBattle} from './perf-battle.js';
import {annotate} from './workflow.js';

/**
 * Compares two sides. What its gate found is among the annotations of the run.
 * @param {string} old as perf-battle compare takes it
 * @param {string} now
 * @param {{failIfSlower: string, cwd?: string, environment?: NodeJS.ProcessEnv}} how failIfSlower: a share; empty: nothing fails
 * @returns {Promise<{code: number, markdown: string}>} code: 0, 4 if a cell is slower, 5 if that cannot be judged, otherwise of an error, which the
 *   log has; markdown is empty then
 */
export async function compareSides(old, now, {failIfSlower, ...how}) {
  const gate = failIfSlower === '' ? [] : ['--fail-if-slower', failIfSlower];
  const {code, stdout} = await runPerfBattle(['compare', old, now, ...gate, '--markdown'], how);
  return {code, markdown: stdout.trimEnd()};
}

/**
 * What the job makes of an exit code.
 * @param {number} code
 * @param {boolean} allowsUnknown whether what cannot be judged passes
 */
export function codeOfJob(code, allowsUnknown) {
  if (code !== 5 || !allowsUnknown) return code;
  annotate('warning', 'Not all of it can be judged. The summary of the run has the reasons.');
  return 0;
}
