import {givenBroker} from '../brokers/given.js';
import {brokerKinds} from '../brokers/index.js';
import {examineBroker, installedOf} from '../doctor/brokers.js';
import {examine} from '../doctor/checks.js';
import {readFacts} from '../doctor/facts.js';
import {showFindings} from '../report/show-findings.js';
import {printJson} from '../report/show-results.js';
import {optionsOfDoctor} from '../settings/index.js';
import {printWarning} from './print-warning.js';
import {readOptions} from './read-settings.js';

/** @import {Settings} from '../options/resolve.js' */

/**
 * `perf-battle doctor`: what on this host would spoil a measurement.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 1 if a finding is an error
 */
export async function doctor(commandLine, signal) {
  /** @type {Settings} */
  const settings = readOptions(commandLine, optionsOfDoctor, 'doctor');
  for (const warning of settings.warnings) printWarning(warning);
  const facts = await readFacts();
  const brokers = await Promise.all(
    brokerKinds.map((kind) => examineBroker(kind, givenBroker(kind, settings)?.connection ?? null, signal)),
  );
  const findings = [...examine(facts, await installedOf(brokerKinds)), ...brokers];
  if (settings.values.json) printJson({findings});
  else showFindings(findings, process.stdout);
  return findings.some(({level}) => level === 'error') ? 1 : 0;
}
