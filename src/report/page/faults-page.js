import {formatMinute} from '../../columns/names.js';
import {faultNamed} from '../../faults/faults.js';
import {formatSize} from '../../payload/bytes.js';
import {mapTexts, safeText} from '../../safe-text.js';
import {limitsOf} from '../show-faults.js';
import {loadUnderFault} from './charts/load-under-fault.js';
import {answersOfFaults} from './faults-headline.js';
import {accountsSection, durabilitySection, outagesSection} from './faults-tables.js';
import {environmentSection, headingOf, html, wholePage} from './html.js';
import {chartSections} from './measured.js';
import {coresText, namedFacts, namedVersions, nodeText} from './place.js';

/**
 * @import {Conclusion, FoundFaults, Row} from '../../faults/found.js'
 * @import {FaultName} from '../../faults/faults.js'
 * @import {Chart} from './charts/series.js'
 * @import {Section} from './html.js'
 */

/**
 * @typedef {object} ShownFaults
 * @property {FoundFaults} found
 * @property {readonly Conclusion[]} conclusions of its rows, in their order; at least one
 * @property {(row: Row) => string} nameOf
 * @property {(fault: FaultName, row: Row) => boolean} applies whether a fault has a target in a row
 * @property {{runId: string, startedAt: string, seed: number, rate: number, window: number}} run
 * @property {Record<string, unknown>} host its facts
 * @property {Record<string, string | null>} versions of perf-battle, Node.js, libraries and brokers
 * @property {readonly {name: string, text: unknown}[]} settings those in force, as a person gives them
 */

/** Each chart is drawn twice, unless there are more than these. */
const maxMainCharts = 8;

/**
 * One self-contained page on a run of faults. The same run gives the same characters.
 * @param {ShownFaults} given
 * @returns {string}
 */
export function faultsPage(given) {
  // Brokers, libraries and transports of others wrote some of the texts.
  const shown = /** @type {ShownFaults} */ (mapTexts(given, safeText));
  const {found, conclusions, nameOf, applies} = shown;
  const answers = answersOfFaults(conclusions, nameOf);
  const version = String(shown.versions.perfBattle);
  const sections = [
    durabilitySection(conclusions, {notTried: found.notTried, nameOf, applies}),
    ...chartSections(faultCharts(shown), [], 'Each part of a chart names its time and its figures.'),
    accountsSection(found.rows, nameOf),
    outagesSection(found.rows, nameOf),
    environmentOf(shown),
    limitsSection(shown),
  ];
  return wholePage(pageHeader(shown, answers), sections, {title: answers[0], version});
}

/**
 * The load of each row under each fault that interrupts it.
 * @param {Pick<ShownFaults, 'conclusions' | 'nameOf'>} shown
 * @returns {Chart[]}
 */
export function faultCharts({conclusions, nameOf}) {
  const drawn = conclusions.flatMap(({row, faults}) => faults.map((summary) => ({row, summary})));
  const count = drawn.filter(({summary}) => summary.restartMs !== null).length;
  return drawn.flatMap(({row, summary}) => {
    const id = `row-${row.number}-${summary.fault}`;
    return loadUnderFault(summary, {id, name: nameOf(row), isMain: count <= maxMainCharts}) ?? [];
  });
}

/** The line below a chart that stands alone. @param {Pick<ShownFaults, 'run' | 'host' | 'versions'>} shown */
export function captionOfFaults({run: {runId, startedAt}, host, versions}) {
  const date = startedAt.slice(0, 10);
  return safeText([hostText(host), nodeText(versions), date, `perf-battle ${runId}`].join(' · '));
}

/** @param {ShownFaults} shown @param {readonly string[]} answers */
function pageHeader({found, conclusions, run, host, versions}, answers) {
  const {runId, startedAt, seed, rate, window} = run;
  const done = [...triesIn(conclusions)].map(
    ([fault, tries]) => `${fault} (${faultNamed(fault).summary}), ${tries === 1 ? 'once' : `${tries} times`}`,
  );
  const [{row}] = conclusions;
  return html`${headingOf(answers)}<p>${done.length === 0 ? 'No fault was done.' : `Done: ${done.join('; ')}.`} The load: ${rate} messages of ${formatSize(row.payloadBytes)} per second, of which at most ${window} are outstanding.</p>
${found.notTried.map(
  ({fault, why}) => html`<p>${fault} was not tried: ${why}.</p>
`,
)}<p>Measured on ${hostText(host)}, with ${nodeText(versions)}, from ${formatMinute(startedAt)}.</p>
<p class="muted">Run ${runId}, seed ${seed}. perf-battle ${versions.perfBattle}.</p>`;
}

/** How often each fault was done: one with a time of its own once. @param {readonly Conclusion[]} conclusions @returns {Map<FaultName, number>} */
function triesIn(conclusions) {
  return new Map(conclusions.flatMap(({faults}) => faults.map(({fault, tries}) => [fault, tries])));
}

/** @param {Record<string, unknown>} host */
function hostText({cpu, architecture, cores}) {
  return [cpu ?? architecture ?? 'a host', ...coresText(cores)].join(', ');
}

/** @param {ShownFaults} shown */
function environmentOf({conclusions, run, host, versions, settings}) {
  const {runId, startedAt, seed, rate, window} = run;
  const facts = {
    Run: runId,
    Began: startedAt,
    Seed: seed,
    'Messages per second': rate,
    Window: window,
    Tries: [...triesIn(conclusions)].map(([fault, tries]) => `${fault} ${tries}`).join(', '),
  };
  return environmentSection(
    [
      ['Run', Object.entries(facts)],
      ['Host', namedFacts(host)],
      ['Versions', namedVersions(versions)],
    ],
    settings,
    'run',
  );
}

/** @param {ShownFaults} shown @returns {Section} */
function limitsSection({found, conclusions}) {
  const done = conclusions.flatMap(({faults}) => faults);
  const content = html`<p>A row is a transport with its settings. Its messages are due at a fixed rate, and each has a number. A message counts as lost if it was sent and never
seen again. The classes come from the bytes that the broker wrote and the flushes of its disk, with one message outstanding. The RTT is the median of that
time; the messages per second are those with a whole window. Compare them only within a class.</p>
${limitsOf(found, done).map(
  (limit) => html`<p>${limit}</p>
`,
)}<p><code>perf-battle help faults.md</code> and <code>perf-battle help faults-reference</code> print the whole method.</p>`;
  return {id: 'limits', title: 'Method and limits', content};
}
