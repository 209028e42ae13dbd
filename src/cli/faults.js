import {resolve} from 'node:path';
import {InterruptedError, UsageError} from '../errors.js';
import {exitOfFaults} from '../faults/conclude.js';
import {faultNamed} from '../faults/faults.js';
import {isAskedFor, withValues} from '../options/resolve.js';
import {describeFaultPreset, faultPresetNamed} from '../presets/faults.js';
import {formatDuration} from '../report/describe-plan.js';
import {printForPrograms, printJson, resultsStream} from '../report/for-programs.js';
import {captionOfFaults, faultCharts, faultsPage} from '../report/page/faults-page.js';
import {faultsCsv, showFaults} from '../report/show-faults.js';
import {printText} from '../report/terminal.js';
import {Journal, journalPathFor} from '../results/journal.js';
import {conductFaults, findUnsupported, possibleFor} from '../session/faults/conduct-faults.js';
import {minRunMs} from '../session/faults/phases.js';
import {planFaults, settingsOfRun, shownSettings} from '../session/faults/plan-faults.js';
import {documentOfFaults} from '../session/faults/recorded-faults.js';
import {applies, nameOf, staysDown, triesOf} from '../session/faults/rows.js';
import {ofResults} from '../session/open-journal.js';
import {settingsAsGiven} from '../settings/describe-settings.js';
import {optionsOfFaultPlan, optionsOfFaults} from '../settings/index.js';
import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {printSettings, printWarning, readGiven, withDerived} from './read-settings.js';
import {assertReplaceable, htmlPage, makeChartFolder, replaceOwn, writeCharts} from './replace-own.js';

/**
 * @import {FaultName} from '../faults/faults.js'
 * @import {NotTried} from '../faults/found.js'
 * @import {ShownFaults} from '../report/types.js'
 * @import {FaultPlan} from '../session/faults/types.js'
 * @import {FaultSettings} from '../settings/index.js'
 */

/**
 * `perf-battle faults`: kills, stops and pauses brokers and servers under a steady load, cuts their power, and accounts for every message.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code of `exitOfFaults`
 */
export async function faults(commandLine, signal) {
  const {all: mine} = optionsOfFaultPlan();
  const given = await readGiven(commandLine, mine);
  const preset = faultPresetNamed(given.values.preset);
  const asked = /** @type {FaultSettings} */ (await withDerived(withValues(given, {preset: null}), mine));
  refuseOthers(asked);
  for (const warning of asked.warnings) printWarning(warning);
  if (asked.values.printConfig) {
    const shown = shownSettings(settingsOfRun(asked, preset));
    const settings = withValues(shown.settings, {preset: given.values.preset});
    return printSettings(settings, optionsOfFaults, shown.exceptions);
  }
  const plan = planFaults(asked, preset);
  const {settings} = plan;
  const {values} = settings;
  for (const warning of plan.warnings) printWarning(warning);
  const unsupported = await findUnsupported(plan);
  if (values.dryRun) return showPlan(plan, unsupported);
  const note = (/** @type {string} */ line) => void (values.quiet || printText(line));
  const journal = new Journal(journalPathFor(resolve(values.results)));
  await ofResults(() => journal.assertWritable());
  const writeFiles = await prepareFiles(settings);
  const append = (/** @type {{kind: string}[]} */ ...entries) => journal.append(...entries);
  const finished = await conductOrAdvise(plan, {append, note, signal, path: journal.path});
  const {found, conclusions, host, versions, run} = finished;
  const shown = {found, conclusions, nameOf};
  const named = (isAskedFor(asked.origins.fault) ? values.fault : []).flatMap(({name}) =>
    plan.rows.some((row) => applies(name, row)) ? [name] : [],
  );
  const stream = resultsStream(values);
  const hasPrograms = plan.rows.some(({transport}) => transportNamed(transport).runsPrograms);
  if (!values.quiet) {
    showFaults({...shown, asked: named}, stream);
    if (preset) stream.write(`\n${describeFaultPreset(preset, {hasPrograms}).join('\n')}\n`);
  }
  printForPrograms(values, {
    document: () => documentOfFaults(finished),
    csv: (separator) => faultsCsv({...shown, applies}, separator),
  });
  await writeFiles(
    {...shown, applies, host, versions, run},
    {signal, note: (line) => void (values.quiet || stream.write(`${line}\n`))},
  );
  return exitOfFaults(conclusions, nameOf, named).code;
}

/**
 * @param {FaultPlan} plan @param {Parameters<typeof conductFaults>[1] & {path: string}} deps path: of the journal
 * @throws {InterruptedError} that says what is stored
 */
async function conductOrAdvise(plan, {append, path, ...deps}) {
  let stored = 0;
  const count = async (/** @type {{kind: string}[]} */ ...entries) => {
    await append(...entries);
    stored += entries.length;
  };
  try {
    return await conductFaults(plan, {...deps, append: count});
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    const {origins, values} = plan.settings;
    const results = origins.results.kind === 'flag' ? ` --results ${values.results}` : '';
    const finished =
      stored === 1 ? 'The finished fault of a row is' : `The ${stored} finished faults of rows are`;
    const advice =
      stored === 0
        ? 'No fault was finished.'
        : `${finished} stored in ${path}. Where no battle has results there, this shows them: perf-battle table${results}`;
    throw new InterruptedError(error.signal, advice);
  }
}

/** @param {FaultPlan} plan @param {readonly NotTried[]} notTried what the kinds of brokers do not support */
function showPlan({settings, rows}, notTried) {
  const {values} = settings;
  const hits = values.fault
    .map((asked) => ({
      asked,
      rows: rows.filter((row) => applies(asked.name, row) && possibleFor(row, [asked], notTried).length > 0),
    }))
    .filter(({rows: hit}) => hit.length > 0);
  const plan = hits.map(({asked, rows: hit}) => ({
    ...{fault: asked.name, at: asked.at, tries: triesOf(asked, settings)},
    rows: hit.map(nameOf),
  }));
  const lines = plan.map(
    ({fault, tries, rows: hit}) =>
      `${fault} (${summaryOf(fault, values)}), ${tries === 1 ? 'once' : `${tries} times`}: ${hit.join('; ')}`,
  );
  const missing = notTried.map(({fault, why}) => `${fault}: not tried (${why}).`);
  if (values.json) printJson({faults: plan, ...(notTried.length > 0 && {notTried})});
  else printText([...lines, ...missing, ...timeOf(minRunMs(hits, settings))].join('\n'), process.stdout);
  return 0;
}

/** @param {number} minMs @returns {string[]} */
function timeOf(minMs) {
  if (minMs === 0) return [];
  return [
    `At least ${formatDuration(minMs)}, plus the starts of brokers and servers, and the reading of queues.`,
  ];
}

/** @param {FaultName} fault @param {FaultSettings['values']} values */
function summaryOf(fault, values) {
  const {summary} = faultNamed(fault);
  return staysDown(fault, values)
    ? summary.replace(/, which is started again.*$/, ', which stays down')
    : summary;
}

/** The reasons why faults refuses an option, by the option's name. @type {Readonly<Record<string, string>>} */
const reasons = {
  'client-on':
    'Its clients are on this host: by its clock they note what became of each message. --server-on and --broker-on name other hosts.',
};

/** @param {FaultSettings} settings */
function refuseOthers({origins}) {
  const {others} = optionsOfFaultPlan();
  const other = others.find(({key}) => origins[key].kind === 'flag');
  if (other === undefined) return;
  const implied = Object.values(workloads).find(({impliedBy}) => impliedBy === other.key);
  const reason = implied?.withoutFaults ?? reasons[other.name] ?? '';
  throw new UsageError(
    `faults does not take --${other.name}. ${reason && `${reason} `}perf-battle faults --help lists what it takes.`,
  );
}

/**
 * Checks before the run whether the page of --page and the charts of --folder can be written.
 * @param {FaultSettings} settings
 * @returns {Promise<(done: Omit<ShownFaults, 'settings'>, how: {signal: AbortSignal, note: (line: string) => void}) => Promise<void>>} writes the page and the charts
 */
async function prepareFiles(settings) {
  const {page, folder} = settings.values;
  if (page === null && folder === null) return async () => {};
  if (page !== null) await assertReplaceable(page, htmlPage);
  if (folder !== null) await makeChartFolder(folder);
  return async (done, {signal, note}) => {
    const {settings: inForce, exceptions} = shownSettings(settings);
    const shown = {...done, settings: settingsAsGiven(inForce, optionsOfRun(), exceptions)};
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

/** The options of the run, without those of its output. Called late: a transport of the user adds options to `optionsOfFaults`. */
function optionsOfRun() {
  return optionsOfFaults.filter(
    ({scope, resumable}) => scope !== 'report' && scope !== 'chart' && resumable !== 'anew',
  );
}
