import {brokerKindNamed} from '../brokers/index.js';
import {checkPrograms} from '../conformance/check-programs.js';
import {checkTransport as checkPairs} from '../conformance/transport-checks.js';
import {settingsOf, uniqueNames} from '../conformance/transport-pair.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/given-file.js';
import {readCommandLine} from '../options/command-line.js';
import {fieldColumns, isForPrograms, printForPrograms, toCsv} from '../report/for-programs.js';
import {printText} from '../report/terminal.js';
import {makeBrokerSource} from '../session/broker-provision.js';
import {bringTransports} from '../settings/bring-transports.js';
import {optionsOfCheckAdapter, optionsOfCheckTransport} from '../settings/index.js';
import {programsWithBrokers} from '../transports/external/index.js';
import {brokerNeedOf} from '../transports/index.js';
import {loadTransport} from '../transports/load.js';
import {readOptions, readOptionsAndWords} from './read-settings.js';

/**
 * @import {Finding} from '../conformance/run-checks.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/**
 * `perf-battle check-adapter`: checks whether programs of other authors keep the contract.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 1 when a check failed
 */
export async function checkAdapter(commandLine, signal) {
  const settings = readOptions(commandLine, optionsOfCheckAdapter, 'check-adapter');
  const {values} = settings;
  const given = programsWithBrokers(values);
  if (given.length === 0)
    throw new UsageError('check-adapter needs the programs: --external NAME=SERVER,CLIENT.');
  const brokers = brokersFor(settings, signal);
  const findings = findingsOf(values, {what: 'programs', page: 'adapter-contract'});
  for (const programs of given) {
    const provisioned =
      programs.broker === undefined ? null : await brokers.provision({kind: programs.broker, settings: {}});
    const connection = provisioned?.connection ?? null;
    const title = `${programs.name}: ${programs.server} and ${programs.client}`;
    try {
      await findings.add(programs.name, title, checkPrograms({programs, broker: connection}, signal));
    } finally {
      await provisioned?.release();
    }
  }
  return findings.conclude();
}

/**
 * `perf-battle check-transport NAME`: checks a transport of the user or of perf-battle.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 1 when a check failed
 */
export async function checkTransport(commandLine, signal) {
  // A transport of the user may add a kind of broker with options, so it is loaded before the options are read.
  const named = readCommandLine(optionsOfCheckTransport, commandLine).words;
  const [guest] = await bringTransports(named.slice(0, 1));
  const {words, ...settings} = readOptionsAndWords(commandLine, optionsOfCheckTransport);
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
  if (transport.serverOf)
    throw new UsageError(
      `${quote(name)} has no server of its own: it reaches those of --${transport.impliedBy}.`,
    );
  const findings = findingsOf(settings.values, {what: 'transport', page: 'your-own-transport'});
  const brokers = brokersFor(settings, signal);
  const need = brokerNeedOf({transport: transport.name, variant: settingsOf(transport, {})});
  const provisioned = need && (await brokers.provision(need));
  try {
    const given =
      provisioned === null
        ? {}
        : {broker: provisioned.connection, ...uniqueNames(brokerKindNamed(provisioned.kind))};
    await findings.add(
      transport.name,
      `${transport.label}: ${guest?.module.url ?? name}`,
      checkPairs(transport, given),
    );
  } finally {
    await provisioned?.release();
  }
  return findings.conclude();
}

/** @param {object} settings @param {AbortSignal} signal */
function brokersFor(settings, signal) {
  const log = (/** @type {string} */ line) => printText(line);
  return makeBrokerSource(/** @type {BattleSettings} */ (settings), {
    ...{id: 'check', hosts: undefined, coresOn: () => null, log, signal},
  });
}

const words = {held: 'holds', failed: 'FAILS', skipped: 'not checked'};

/**
 * Prints each finding when its check ends; with --json or --csv, prints all findings at the end.
 * @param {{json: boolean, csv: boolean, csvSeparator: string}} values
 * @param {{what: string, page: string}} about what: the field that names the checked programs or transport; page: the help page that explains the checks
 */
function findingsOf(values, {what, page}) {
  /** @type {(Record<string, string> & Finding)[]} */
  const findings = [];
  const print = (/** @type {string} */ text) => void (isForPrograms(values) || process.stdout.write(text));
  return {
    /** @param {string} name @param {string} title @param {AsyncIterable<Finding>} found */
    async add(name, title, found) {
      print(`${title}\n`);
      /** @type {Finding[]} */
      let alike = [];
      const printAlike = () => {
        if (alike.length > 0) print(lineOf(alike));
        alike = [];
      };
      for await (const finding of found) {
        findings.push({[what]: name, ...finding});
        const [last = finding] = alike;
        const isAlike = finding.outcome === 'skipped' && finding.text === last.text;
        if (!isAlike) printAlike();
        if (finding.outcome === 'skipped') alike.push(finding);
        else print(lineOf([finding]));
      }
      printAlike();
    },
    /** @returns {number} the exit code: 1 when a check failed */
    conclude() {
      const failed = findings.filter(({outcome}) => outcome === 'failed').length;
      printForPrograms(values, {
        document: () => ({findings}),
        csv: (separator) => toCsv(columnsFor(what), findings, separator),
      });
      print(
        failed === 0
          ? 'All checks hold.\n'
          : `${failed} of ${findings.length} checks fail. See perf-battle help ${page}.\n`,
      );
      return failed === 0 ? 0 : 1;
    },
  };
}

/** @param {readonly Finding[]} findings with the same outcome and text */
function lineOf([{outcome, name, text}, ...more]) {
  const checks = more.length === 0 ? name : `${more.length + 1} checks`;
  return `  ${words[outcome].padEnd(11)}  ${checks}: ${text}\n`;
}

/** @param {string} what @returns {[string, (finding: Record<string, string>) => unknown][]} */
function columnsFor(what) {
  return [
    ...fieldColumns(what),
    ['check', ({name}) => name],
    ...fieldColumns('outcome'),
    ['finding', ({text}) => text],
  ];
}
