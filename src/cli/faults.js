import {randomUUID} from 'node:crypto';
import {resolve} from 'node:path';
import {UsageError} from '../errors.js';
import {concludeFaults, isAnyUnread, isPromiseBroken} from '../faults/conclude.js';
import {faultNamed} from '../faults/faults.js';
import {overlay} from '../options/overlay.js';
import {isAskedFor} from '../options/resolve.js';
import {printForPrograms, printJson, resultsStream} from '../report/for-programs.js';
import {captionOfFaults, faultCharts, faultsPage} from '../report/page/faults-page.js';
import {faultsCsv, showFaults} from '../report/show-faults.js';
import {printText} from '../report/terminal.js';
import {readFingerprint} from '../results/fingerprint.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {applies, nameOf, rowsOf, triesOf} from '../session/faults/rows.js';
import {runFaults} from '../session/faults/run-faults.js';
import {readVersions} from '../session/versions.js';
import {settingsAsGiven} from '../settings/describe-settings.js';
import {optionsOfBattle, optionsOfFaults} from '../settings/index.js';
import {transportNamed} from '../transports/index.js';
import {printSettings} from './print-settings.js';
import {printWarning} from './print-warning.js';
import {readBattleSettings} from './read-settings.js';
import {assertReplaceable, htmlPage, replaceOwn} from './replace-own.js';
import {makeChartFolder, writeCharts} from './write-charts.js';

/**
 * @import {ShownFaults} from '../report/page/faults-page.js'
 * @import {FaultSettings} from '../settings/index.js'
 */

/** A load below the knee of every transport on a small host. */
const defaultRate = 500;
const defaultWindow = 64;
const defaults = {payloadBytes: [1024]};

/**
 * `perf-battle faults`: kills, stops, pauses brokers and servers, and cuts their power, under a steady load, and accounts for every message.
 * @param {readonly string[]} commandLine
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code: 1 if a message was lost that was promised to be kept, or if a row has failed
 */
export async function faults(commandLine, signal) {
  const asked = await readBattleSettings(commandLine, [...optionsOfFaults, ...others]);
  refuseOthers(asked);
  for (const warning of asked.warnings) printWarning(warning);
  const settings = withRows(overlay(asked, /** @type {any} */ (defaults), {kind: 'preset', name: 'faults'}));
  const {values} = settings;
  if (values.printConfig) return printSettings(settings);
  const rows = rowsOf(settings);
  refuseWithoutTarget(settings, rows);
  const load = {
    rate: only(values.rate, '--rate') ?? defaultRate,
    window: only(values.window, '--window') ?? defaultWindow,
    resend: values.resend,
  };
  if (values.dryRun) return showPlan(settings, rows);
  const note = (/** @type {string} */ line) => void (values.quiet || printText(line));
  const journal = new Journal(journalPathFor(resolve(values.results)));
  await journal.assertWritable();
  const writeFiles = await prepareFiles(settings);
  // As it is before the load.
  const host = {...(await readFingerprint())};
  const startedAt = new Date().toISOString();
  const runId = randomUUID().slice(0, 8);
  const shared = {runId, startedAt, seed: values.seed, ...load};
  const save = (/** @type {object} */ done) => journal.append({kind: 'fault', ...shared, ...done});
  const found = await runFaults({id: runId, rows, settings, load, note, save, signal});
  const conclusions = concludeFaults(found);
  const {notTried} = found;
  const versions = {...(await readVersions()), ...found.versions};
  await journal.append(...conclusions.map((one) => ({kind: 'faults', ...shared, host, versions, ...one})));
  const shown = {found, conclusions, nameOf};
  if (!values.quiet) showFaults(shown, resultsStream(values));
  printForPrograms(values, {
    document: () => ({faults: {...shared, host, versions, notTried}, rows: conclusions}),
    csv: (separator) => faultsCsv(shown, separator),
  });
  const stream = resultsStream(values);
  await writeFiles(
    {...shown, applies, host, versions, run: {...shared, tries: values.tries}},
    {signal, note: (line) => void (values.quiet || stream.write(`${line}\n`))},
  );
  const failed = conclusions.map(({error}) => error?.exitCode ?? 0);
  return isPromiseBroken(conclusions) || isAnyUnread(conclusions) ? 1 : Math.max(0, ...failed);
}

/** What would be done to whom. @param {FaultSettings} settings @param {ReturnType<typeof rowsOf>} rows */
function showPlan(settings, rows) {
  const {values} = settings;
  const plan = values.fault.flatMap((asked) => {
    const hit = rows.filter((row) => applies(asked.name, row)).map(nameOf);
    return hit.length > 0
      ? [{fault: asked.name, at: asked.at, tries: triesOf(asked, settings), rows: hit}]
      : [];
  });
  const lines = plan.map(
    ({fault, tries, rows: hit}) =>
      `${fault} (${faultNamed(fault).summary}), ${tries === 1 ? 'once' : `${tries} times`}: ${hit.join('; ')}`,
  );
  if (values.json) printJson({faults: plan});
  else printText(lines.join('\n'), process.stdout);
  return 0;
}

/**
 * The rows that show what an acknowledgement is worth: the settings that a transport declares for that, unless the person chose.
 * @param {FaultSettings} settings
 * @returns {FaultSettings}
 */
function withRows(settings) {
  const {transport: names, allSettings} = settings.values;
  const declared = names.flatMap((name) => transportNamed(name).guarantees ?? []);
  const values = Object.assign({}, ...declared.map(({usual, all}) => (allSettings ? all : usual)));
  return overlay(settings, values, {kind: 'default', name: 'faults'});
}

/** Plans need all settings of a battle, and faults take only some of them. */
const others = optionsOfBattle.filter((option) => !optionsOfFaults.some(({name}) => name === option.name));

/** @param {FaultSettings} settings */
function refuseOthers({origins}) {
  const other = others.find(({key}) => origins[key].kind === 'flag');
  if (other !== undefined)
    throw new UsageError(
      `faults does not take --${other.name}. perf-battle faults --help lists what it takes.`,
    );
}

/** @param {FaultSettings} settings @param {ReturnType<typeof rowsOf>} rows */
function refuseWithoutTarget({values, origins}, rows) {
  const names = values.fault.map(({name}) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new UsageError(`--fault names ${twice} twice; --tries does it several times.`);
  const idle = names.find((name) => !rows.some((row) => applies(name, row)));
  if (idle !== undefined && isAskedFor(origins.fault))
    throw new UsageError(
      `--fault ${idle} has no target here: ${targetless[faultNamed(idle).target]}. Leave it out, or measure what has one.`,
    );
}

/** Why a fault has no target, by what it is done to. */
const targetless = {
  broker: 'no row has a broker, or a queue on it',
  node: 'no row has a cluster (--broker-nodes 3)',
  server: 'no row has a server (--workload rtt)',
  connection: 'no row has a connection',
};

/** @param {readonly number[] | null} values @param {string} flag */
function only(values, flag) {
  if (values === null) return null;
  if (values.length > 1) throw new UsageError(`faults takes one ${flag}.`);
  return values[0];
}

/**
 * The page and the charts of a run, where --page and --folder ask for them. Call it before the run: what cannot be written is refused then.
 * @param {FaultSettings} settings
 * @returns {Promise<(done: Omit<ShownFaults, 'settings'>, how: {signal: AbortSignal, note: (line: string) => void}) => Promise<void>>} writes them
 * @throws {UsageError | RunError} when they cannot be written
 */
async function prepareFiles(settings) {
  const {page, folder} = settings.values;
  if (page === null && folder === null) return async () => {};
  if (page !== null) await assertReplaceable(page, htmlPage);
  if (folder !== null) await makeChartFolder(folder);
  return async (done, {signal, note}) => {
    const shown = {...done, settings: settingsAsGiven(settings, optionsOfRun())};
    if (page !== null) {
      const text = faultsPage(shown);
      await replaceOwn(page, text, {...htmlPage, signal});
      note(`${page}: ${Math.ceil(Buffer.byteLength(text) / 1000)} kB.`);
    }
    if (folder === null) return;
    const caption = captionOfFaults(shown);
    const charts = faultCharts(shown).map(({id, title, draw}) => ({
      id,
      svg: draw({caption: `${title} · ${caption}`}),
    }));
    if (charts.length === 0) note('No fault interrupted the load, so there is no chart.');
    await writeCharts(folder, charts, {signal, onWritten: note});
  };
}

/** Those that say how faults are done, and not what is shown of them. A transport that a person brings has added its own. */
function optionsOfRun() {
  return optionsOfFaults.filter(
    ({scope, resumable}) => scope !== 'report' && scope !== 'chart' && resumable !== 'anew',
  );
}
