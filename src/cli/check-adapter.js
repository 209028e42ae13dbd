import {checkPrograms} from '../adapters/index.js';
import {UsageError} from '../errors.js';
import {safeText} from '../safe-text.js';
import {makeBrokerSource} from '../session/broker-provision.js';
import {optionsOfCheckAdapter} from '../settings/index.js';
import {programsWithBrokers} from '../transports/external/index.js';
import {readOptions} from './read-settings.js';
import {findingsOf} from './show-findings.js';

/** @import {BattleSettings} from '../settings/index.js' */

/**
 * `perf-battle check-adapter`: checks whether programs of other authors keep the contract.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 1 when a check failed
 */
export async function checkAdapter(commandLine, signal) {
  const settings = readOptions(commandLine, optionsOfCheckAdapter, 'check-adapter');
  for (const warning of settings.warnings) say(`Warning: ${warning}`);
  const {values} = settings;
  const given = programsWithBrokers(values);
  if (given.length === 0)
    throw new UsageError('check-adapter needs the programs: --external NAME=SERVER,CLIENT.');
  const brokers = makeBrokerSource(/** @type {BattleSettings} */ (/** @type {unknown} */ (settings)), {
    ...{id: 'check', hosts: undefined, coresOn: () => null, log: say, signal},
  });
  const findings = findingsOf(values, {what: 'programs', page: 'docs/adapters.md'});
  for (const programs of given) {
    const obtained = programs.broker === undefined ? null : await brokers.obtain(programs.broker);
    const connection = obtained?.connection ?? null;
    const title = `${programs.name}: ${programs.server} and ${programs.client}`;
    try {
      await findings.add(programs.name, title, checkPrograms({programs, broker: connection}, signal));
    } finally {
      await obtained?.release();
    }
  }
  return findings.conclude();
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${safeText(line)}\n`);
}
