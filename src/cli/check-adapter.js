import {checkPrograms} from '../adapters/index.js';
import {UsageError} from '../errors.js';
import {toCsv} from '../report/csv.js';
import {isForPrograms, printForPrograms} from '../report/for-programs.js';
import {safeText} from '../safe-text.js';
import {makeBrokerSource} from '../session/broker-source.js';
import {optionsOfCheckAdapter, transportsOfPrograms} from '../settings/index.js';
import {readOptions} from './read-settings.js';

/**
 * @import {Finding, Given} from '../adapters/index.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/** @type {readonly [string, (finding: {programs: string} & Finding) => unknown][]} */
const csvColumns = [
  ['programs', ({programs}) => programs],
  ['check', ({name}) => name],
  ['outcome', ({outcome}) => outcome],
  ['finding', ({text}) => text],
];

const words = {held: 'holds', failed: 'FAILS', skipped: 'not checked'};

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
  const byKey = /** @type {Readonly<Record<string, unknown>>} */ (values);
  const given = transportsOfPrograms.flatMap(({impliedBy = '', broker}) => {
    const pairs = /** @type {readonly Given['programs'][] | null} */ (byKey[impliedBy]) ?? [];
    return pairs.map((programs) => ({programs, broker}));
  });
  if (given.length === 0)
    throw new UsageError('check-adapter needs the programs: --external NAME=SERVER,CLIENT.');
  const brokers = makeBrokerSource(/** @type {BattleSettings} */ (/** @type {unknown} */ (settings)), {
    ...{id: 'check', hosts: undefined, coresOn: () => null, log: say, signal},
  });
  /** @type {({programs: string} & Finding)[]} */
  const findings = [];
  const print = (/** @type {string} */ text) => void (isForPrograms(values) || process.stdout.write(text));
  for (const {programs, broker} of given) {
    const obtained = broker === null ? null : await brokers.obtain(broker);
    try {
      print(`${programs.name}: ${programs.server} and ${programs.client}\n`);
      for await (const finding of checkPrograms({programs, broker: obtained?.connection ?? null}, signal)) {
        print(`  ${words[finding.outcome].padEnd(11)}  ${finding.name}: ${finding.text}\n`);
        findings.push({programs: programs.name, ...finding});
      }
    } finally {
      await obtained?.release();
    }
  }
  const failed = findings.filter(({outcome}) => outcome === 'failed').length;
  printForPrograms(values, {
    document: () => ({findings}),
    csv: (separator) => toCsv(csvColumns, findings, separator),
  });
  print(
    failed === 0
      ? 'All checks hold.\n'
      : `${failed} of ${findings.length} checks fail. See docs/adapters.md.\n`,
  );
  return failed === 0 ? 0 : 1;
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${safeText(line)}\n`);
}
