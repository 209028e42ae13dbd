import {brokerKindNamed} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {readCommandLine} from '../options/command-line.js';
import {quote} from '../options/shorten.js';
import {safeText} from '../safe-text.js';
import {makeBrokerSource} from '../session/broker-provision.js';
import {bringTransports} from '../settings/bring-transports.js';
import {optionsOfCheckTransport} from '../settings/index.js';
import {uniqueNames} from '../testing/broker.js';
import {checkTransport as findingsIn} from '../testing/check-transport.js';
import {loadTransport} from '../transports/load.js';
import {readOptionsAndWords} from './read-settings.js';
import {findingsOf} from './show-findings.js';

/** @import {BattleSettings} from '../settings/index.js' */

/**
 * `perf-battle check-transport NAME`: checks a transport, one of one's own or of perf-battle.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 1 when a check failed
 */
export async function checkTransport(commandLine, signal) {
  // A transport that a person brings may bring a kind of broker, with options.
  const named = readCommandLine(optionsOfCheckTransport, commandLine).words;
  const [guest] = await bringTransports(named.slice(0, 1));
  const {words, ...settings} = readOptionsAndWords(commandLine, optionsOfCheckTransport);
  for (const warning of settings.warnings) say(`Warning: ${warning}`);
  const [name, ...more] = words;
  if (name === undefined || more.length > 0)
    throw new UsageError(
      'check-transport must be followed by one transport: the path of its folder or file, its npm package, or its name.',
    );
  const transport = guest ?? (await loadTransport(name));
  if (transport.runsPrograms)
    throw new UsageError(
      `${quote(name)} runs programs of other authors: perf-battle check-adapter checks those.`,
    );
  const findings = findingsOf(settings.values, {what: 'transport', page: 'docs/your-own-transport.md'});
  const brokers = makeBrokerSource(/** @type {BattleSettings} */ (/** @type {unknown} */ (settings)), {
    ...{id: 'check', hosts: undefined, coresOn: () => null, log: say, signal},
  });
  const obtained = transport.broker === null ? null : await brokers.obtain(transport.broker);
  try {
    const given =
      obtained === null ? {} : {broker: obtained.connection, ...uniqueNames(brokerKindNamed(obtained.kind))};
    await findings.add(
      transport.name,
      `${transport.label}: ${guest?.module.url ?? name}`,
      findingsIn(transport, given),
    );
  } finally {
    await obtained?.release();
  }
  return findings.conclude();
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${safeText(line)}\n`);
}
