import {brokerKindNamed} from '../brokers/index.js';
import {checkPrograms} from '../conformance/check-programs.js';
import {checkTransport as checkPairs} from '../conformance/check-transport.js';
import {settingsOf, uniqueNames} from '../conformance/transport-pair.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import {readCommandLine} from '../options/command-line.js';
import {formatMasked} from '../options/show-option.js';
import {fieldColumns, isForPrograms, printForPrograms, toCsv} from '../report/for-programs.js';
import {printText} from '../report/terminal.js';
import {makeBrokerSource} from '../session/broker-provision.js';
import {bringTransports} from '../settings/bring-transports.js';
import {checkFiles} from '../settings/broker-settings.js';
import {allOptions, optionsOfCheckAdapter, optionsOfCheckTransport} from '../settings/index.js';
import {programsWithBrokers} from '../transports/external/index.js';
import {brokerNeedOf} from '../transports/index.js';
import {loadTransport} from '../transports/load.js';
import {readOptions, readOptionsAndWords} from './read-settings.js';

/**
 * @import {Finding} from '../conformance/run-checks.js'
 * @import {GivenSettings} from '../conformance/transport-pair.js'
 * @import {Option, Settings} from '../options/contract.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * `perf-battle check-adapter`: checks whether programs of other authors keep the contract.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal @returns {Promise<number>} the exit code: 1 when a check failed
 */
export async function checkAdapter(commandLine, signal) {
  const settings = await readOptions(commandLine, optionsOfCheckAdapter, 'check-adapter');
  const {values} = settings;
  const given = programsWithBrokers(values);
  if (given.length === 0)
    throw new UsageError('check-adapter needs the programs: --external NAME=SERVER,CLIENT.');
  const brokers = brokersFor(settings, signal);
  const findings = findingsOf(values, {fields: ['programs'], page: 'adapter-contract'});
  for (const programs of given) {
    const provisioned =
      programs.broker === undefined ? null : await brokers.provision({kind: programs.broker, settings: {}});
    const connection = provisioned?.connection ?? null;
    const title = `${programs.name}: ${programs.server} and ${programs.client}`;
    try {
      const found = checkPrograms({programs, broker: connection}, signal);
      await findings.add({programs: programs.name}, title, found);
    } finally {
      await provisioned?.release();
    }
  }
  return findings.conclude();
}

/**
 * `perf-battle check-transport NAME`: checks a transport of the user or of perf-battle, with each combination of its settings.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 1 when a check failed
 */
export async function checkTransport(commandLine, signal) {
  // A transport of the user may add a kind of broker with options, so it is loaded before the options are read.
  const [name, ...more] = readCommandLine(allOptions, commandLine).words;
  const [guest] = name === undefined ? [] : await bringTransports([name]);
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
  const ofCommand = /** @type {readonly Option[]} */ (optionsOfCheckTransport);
  const own = transport.options.filter((one) => one.scope === 'both' && !ofCommand.includes(one));
  const settings = await readOptionsAndWords(commandLine, [...optionsOfCheckTransport, ...own]);
  const variants = variantsOf(transport, own, settings);
  const fields = ['transport', 'settings'];
  const findings = findingsOf(settings.values, {fields, page: 'your-own-transport'});
  const brokers = brokersFor(settings, signal);
  for (const asked of variants) {
    const need = brokerNeedOf({transport: transport.name, variant: settingsOf(transport, asked)});
    const provisioned = need && (await brokers.provision(need));
    const onBroker = provisioned && {
      broker: provisioned.connection,
      ...uniqueNames(brokerKindNamed(provisioned.kind)),
    };
    const shown = describeVariant(own, asked);
    const title = `${transport.label}${shown && ` with ${shown}`}: ${guest?.module.url ?? name}`;
    try {
      const found = checkPairs(transport, {...asked, ...onBroker});
      await findings.add({transport: transport.name, settings: shown}, title, found);
    } finally {
      await provisioned?.release();
    }
  }
  return findings.conclude();
}

/**
 * Each combination of the given settings of a transport. A setting that is not given keeps its default.
 * @param {Transport} transport @param {readonly Option[]} own the transport's options
 * @param {Pick<Settings, 'values' | 'origins'>} settings a list is a value for each of several variants
 * @returns {GivenSettings[]}
 * @throws {UsageError} when the transport refuses a combination or a file
 */
function variantsOf(transport, own, {values, origins}) {
  checkFiles(own, {values, origins});
  const asked = own.filter(({key}) => origins[key].kind !== 'default');
  const variants = asked.reduce(
    (before, {key}) => before.flatMap((one) => [values[key]].flat().map((value) => ({...one, [key]: value}))),
    [/** @type {GivenSettings} */ ({})],
  );
  for (const variant of variants) {
    const whole = settingsOf(transport, variant);
    transport.checkFiles?.(whole, {hasBothEnds: true});
    const refused = transport.refuse?.(whole, transport.capabilities);
    if (refused) throw new UsageError(refused);
  }
  return variants;
}

/** The given settings, without secrets. @param {readonly Option[]} own @param {GivenSettings} asked */
function describeVariant(own, asked) {
  return own
    .filter(({key}) => key in asked)
    .map((one) => `${one.name}=${formatMasked(one, asked[one.key], {several: false})}`)
    .join(' ');
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
 * @param {{fields: readonly string[], page: string}} about fields: those that say what is checked; page: the help page that explains the checks
 */
function findingsOf(values, {fields, page}) {
  /** @type {(Record<string, string> & Finding)[]} */
  const findings = [];
  const print = (/** @type {string} */ text) => void (isForPrograms(values) || process.stdout.write(text));
  return {
    /** @param {Record<string, string>} what by the fields @param {string} title @param {AsyncIterable<Finding>} found */
    async add(what, title, found) {
      print(`${title}\n`);
      /** @type {Finding[]} */
      let alike = [];
      const printAlike = () => {
        if (alike.length > 0) print(lineOf(alike));
        alike = [];
      };
      for await (const finding of found) {
        findings.push({...what, ...finding});
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
        csv: (separator) => toCsv(columnsFor(fields), findings, separator),
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

/** So many checks stand by their names. */
const mostNamed = 3;

/** @param {readonly Finding[]} findings with the same outcome and text */
function lineOf(findings) {
  const [{outcome, text}] = findings;
  const names = findings.map(({name}) => name);
  const checks = names.length <= mostNamed ? names.join('; ') : `${names.length} checks`;
  return `  ${words[outcome].padEnd(11)}  ${checks}: ${text}\n`;
}

/**
 * Only the first field stands before the finding: scripts that read columns by their number know nothing of fields that were added.
 * @param {readonly string[]} fields @returns {[string, (finding: Record<string, string>) => unknown][]}
 */
function columnsFor([first, ...others]) {
  return [
    ...fieldColumns(first),
    ['check', ({name}) => name],
    ...fieldColumns('outcome'),
    ['finding', ({text}) => text],
    ...fieldColumns(...others),
  ];
}
