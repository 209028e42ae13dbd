import {brokerKinds, givenBroker} from '../brokers/index.js';
import {asOptional, examineBroker, installedOf} from '../doctor/brokers.js';
import {examine} from '../doctor/checks.js';
import {readFacts} from '../doctor/facts.js';
import {isForPrograms, printForPrograms} from '../report/for-programs.js';
import {findingsCsv, showFindings} from '../report/show-outcomes.js';
import {withSettingsOfUrls} from '../settings/broker-settings.js';
import {optionsOfDoctor} from '../settings/index.js';
import {transportNamed} from '../transports/index.js';
import {readOptions} from './read-settings.js';

/**
 * @import {Settings} from '../options/contract.js'
 * @import {Format} from '../report/types.js'
 */

/**
 * `perf-battle doctor`: reports what on this host would distort a measurement.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal @returns {Promise<number>} the exit code: 1 if a finding is an error
 */
export async function doctor(commandLine, signal) {
  /** @type {Settings} */
  const settings = withSettingsOfUrls(await readOptions(commandLine, optionsOfDoctor, 'doctor'));
  const {transport} = /** @type {{transport: readonly string[]}} */ (settings.values);
  const needed = transport.map((name) => transportNamed(name).broker);
  const facts = await readFacts();
  const brokers = await Promise.all(
    brokerKinds.map(async (kind) => {
      const given = givenBroker(kind, settings)?.connection ?? null;
      const finding = await examineBroker(kind, given, signal);
      return needed.includes(kind.name) || given !== null ? finding : asOptional(finding);
    }),
  );
  const findings = [...examine(facts, await installedOf(brokerKinds)), ...brokers];
  const format = /** @type {Format} */ (settings.values);
  if (!isForPrograms(format)) showFindings(findings, process.stdout);
  printForPrograms(format, {
    document: () => ({findings}),
    csv: (separator) => findingsCsv(findings, separator),
  });
  return findings.some(({level}) => level === 'error') ? 1 : 0;
}
