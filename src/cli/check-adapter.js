import {checkPrograms} from '../adapters/conformance/index.js';
import {UsageError} from '../errors.js';
import {optionsOfCheckAdapter} from '../settings/index.js';
import {readOptions} from './read-settings.js';

/** @import {Finding} from '../adapters/conformance/index.js' */

const words = {held: 'holds', failed: 'FAILS', skipped: 'not checked'};

/**
 * `perf-battle check-adapter`: checks whether programs of other authors keep the contract.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 1 when a check failed
 */
export async function checkAdapter(commandLine, signal) {
  const {values, warnings} = readOptions(commandLine, optionsOfCheckAdapter, 'check-adapter');
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  const given = values.external;
  if (given === null)
    throw new UsageError('check-adapter needs the programs: --external NAME=SERVER,CLIENT.');
  /** @type {Finding[]} */
  const findings = [];
  for (const programs of given) {
    process.stdout.write(`${programs.name}: ${programs.server} and ${programs.client}\n`);
    for await (const finding of checkPrograms(programs, signal)) {
      process.stdout.write(`  ${words[finding.outcome].padEnd(11)}  ${finding.name}: ${finding.text}\n`);
      findings.push(finding);
    }
  }
  const failed = findings.filter(({outcome}) => outcome === 'failed').length;
  process.stdout.write(
    failed === 0
      ? 'All checks hold.\n'
      : `${failed} of ${findings.length} checks fail. See docs/adapters.md.\n`,
  );
  return failed === 0 ? 0 : 1;
}
