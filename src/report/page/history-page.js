import {formatShortMs} from '../../columns/figures.js';
import {counted, nameOfVariant} from '../../columns/names.js';
import {formatSize} from '../../payload/bytes.js';
import {withWorkload} from '../../workloads/index.js';
import {comparedFigures} from './charts/over-size.js';
import {columnHeading, html, sortableTable, wholePage} from './html.js';
import {chartSections, methodSection} from './measured.js';
import {figureOverBattles, maxBattles, pastBattles, pastCells} from './past-battles.js';

/**
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {PastBattle, PastCell, ShownJournal} from '../types.js'
 * @import {Markup, Section} from './html.js'
 */

/** @typedef {{id: string, name: string, battles: readonly PastBattle[], cell: PastCell}} ShownCell id: of its chart; battles: of its journal */

/** Each chart is drawn twice, unless there are more than these. */
const maxMainCharts = 8;

/**
 * One self-contained page on all battles of journals: the figure of each cell over the battles. The same records give the same characters.
 * @param {{journals: readonly ShownJournal[], version: string}} shown with at least one completed record; version: of perf-battle
 * @returns {string}
 */
export function historyPage({journals, version}) {
  const past = journals.map((journal) => ({name: journal.name, battles: pastBattles(journal)}));
  const cells = past
    .flatMap(({name, battles}) =>
      pastCells(battles).map((cell) => ({
        name: nameOf(cell, {battles, journal: past.length > 1 ? name : null}),
        battles,
        cell,
      })),
    )
    .map((one, index) => ({id: `cell-${index + 1}`, ...one}));
  const all = past.flatMap(({battles}) => battles);
  const hosts = [...new Set(all.map(({host}) => host))];
  const isMain = cells.length <= maxMainCharts;
  const charts = cells.flatMap(
    ({id, name, battles, cell}) => figureOverBattles(cell, battles, {id, title: name, isMain, hosts}) ?? [],
  );
  const sections = [
    newestSection(cells, new Set(charts.map(({id}) => id))),
    ...chartSections(charts, []),
    hostsSection(past, hosts),
    methodSection(),
  ];
  const title = `History of ${counted(all.length, 'battle')} and ${counted(cells.length, 'cell')}`;
  const header = html`<h1>${title}</h1>
<p>${periodOf(all)}</p>
${leftOut(journals)}<p class="muted">perf-battle ${version}.</p>`;
  return wholePage(header, sections, {title, version});
}

/** @param {PastCell} cell @param {{journal: string | null, battles: readonly PastBattle[]}} of journal: null if it is the only one */
function nameOf({newest, measured}, {journal, battles}) {
  const {labels, payloadBytes, workload, environment} = newest ?? measured[0].record;
  const areSeveral = battles.some(({records}) => records.some((one) => one.environment !== environment));
  return [
    ...(journal === null ? [] : [journal]),
    withWorkload(nameOfVariant(labels), workload),
    formatSize(payloadBytes),
    ...(areSeveral ? [environment] : []),
  ].join(', ');
}

/** @param {readonly PastBattle[]} battles */
function periodOf(battles) {
  const days = battles.map(({when}) => when.slice(0, 10)).sort();
  const [first, last] = [days[0], days[days.length - 1]];
  return first === last ? `Measured on ${first}.` : `Measured from ${first} to ${last}.`;
}

/** @param {readonly ShownJournal[]} journals */
function leftOut(journals) {
  const counts = journals.map(({records}) => new Set(records.map(({battleId}) => battleId)).size);
  return counts.every((battles) => battles <= maxBattles)
    ? null
    : html`<p>Of each journal, the newest ${maxBattles} battles are shown.</p>
`;
}

/** The newest figure of each cell. @param {readonly ShownCell[]} cells @param {ReadonlySet<string>} drawn the charts that there are @returns {Section} */
function newestSection(cells, drawn) {
  const rows = cells.map(({id, name, cell}) =>
    newestRow(drawn.has(id) ? html`<a href="#${id}">${name}</a>` : name, cell),
  );
  const title = 'Newest figures';
  const headings = [
    ...['Cell', 'Of', 'Verdict'].map((name) => columnHeading(name)),
    ...['Figure', 'p99, ms'].map((name) => columnHeading(name, 'figures')),
    columnHeading('Measured'),
    columnHeading('Battles', 'figures'),
  ];
  const content = sortableTable({labelledBy: 'tables', label: title}, headings, rows);
  return {id: 'tables', title, content};
}

/** @param {string | Markup} name @param {PastCell} cell */
function newestRow(name, {measured}) {
  const {battle, record} = measured[measured.length - 1];
  const {status, figure, p99} = newestFigures(record);
  return html`<tr><td class="text">${name}</td><td class="text">${battle.name}</td><td class="text ${status}">${status}</td><td>${figure}</td><td>${p99}</td><td class="text">${battle.when}</td><td>${measured.length}</td></tr>
`;
}

/** @param {CellRecord} record */
function newestFigures(record) {
  if (record.outcome !== 'completed') return {status: record.outcome, figure: '', p99: ''};
  const {comparedBy, rtt, verdict} = record;
  const {of, unit} = comparedFigures[comparedBy];
  return {
    status: verdict.status,
    figure: `${of(record).text} ${unit}`,
    p99: formatShortMs(rtt?.p99Ms ?? null, rtt?.ci95?.p99Ms ?? null),
  };
}

/** @param {readonly {name: string, battles: readonly PastBattle[]}[]} past @param {readonly string[]} hosts @returns {Section} */
function hostsSection(past, hosts) {
  const changes = past.flatMap(({name, battles}) =>
    battles.flatMap(({isElsewhere, ...battle}, index) =>
      isElsewhere ? [changeItem(battles[index - 1], battle, past.length > 1 ? `${name}, ` : '')] : [],
    ),
  );
  const content = html`<p>${hosts.length === 1 ? `All battles ran on ${hosts[0]}.` : `The battles ran on ${hosts.length} kinds of hosts.`} Figures of two hosts do not compare. A kind of host is known by its machine, its cores and its environment, so two hosts of one kind may still differ.</p>
${
  changes.length === 0
    ? null
    : html`<ul>
${changes}</ul>
`
}`;
  return {id: 'hosts', title: 'Hosts', content};
}

/** @param {{host: string}} before @param {{name: string, when: string, host: string}} battle @param {string} journal */
function changeItem(before, {name, when, host}, journal) {
  return html`<li>${journal}${name}, ${when}: from ${before.host} to ${host}.</li>
`;
}
