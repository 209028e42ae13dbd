import {gzipSync} from 'node:zlib';
import {formatMinute, nameOfCell, nameOfVariant} from '../../columns/names.js';
import {formatSize} from '../../payload/bytes.js';
import {versionsTogether} from '../../results/fingerprint.js';
import {ascending, groupBy} from '../../stats/numbers.js';
import {workloads} from '../../workloads/index.js';
import {battleNotes} from '../battle-notes.js';
import {widths} from '../charts/parts.js';
import {tableOf} from '../tables/blocks.js';
import {anatomyOfMeans, cpuPerMessage} from './charts/bars.js';
import {percentileCurves, responseOverRate, trialsByRound} from './charts/lines.js';
import {figureOverSize} from './charts/over-size.js';
import {answersOf} from './headline.js';
import {environmentSection, headingOf, html, wholePage} from './html.js';
import {chartSections, methodSection, tablesSection} from './measured.js';
import {asObject, namedFacts, namedVersions, placeOf} from './place.js';

/**
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {Section} from './html.js'
 * @import {Chart} from '../charts/chart.js'
 */

/**
 * @typedef {object} ShownBattle
 * @property {readonly CellRecord[]} records at least one
 * @property {Record<string, unknown> | null} battle what the journal says of it; null if it is not known
 * @property {string} floor the transport that the others are compared with
 * @property {string} version of perf-battle
 * @property {readonly {name: string, text: unknown}[]} settings those in force, as a person gives them
 */

/** A mail or a ticket takes a file of this size. */
const maxBytes = 400_000;

/**
 * One self-contained page on a battle, of at most 400 kB unless its tables alone are longer. It loads nothing and reads without script.
 * The same records give the same characters.
 * @param {ShownBattle} shown @returns {string}
 */
export function battlePage(shown) {
  let page = '';
  for (page of pagesOf(shown)) if (Buffer.byteLength(page) <= maxBytes) break;
  return page;
}

/**
 * From the whole page to the shortest: without the trials, then without more and more of the charts, and without the records.
 * @param {ShownBattle} shown
 */
function* pagesOf(shown) {
  const {records, floor} = shown;
  const charts = chartsOf(records, floor);
  const largestFirst = charts
    .map((chart) => ({chart, size: chart.draw({width: widths.narrow}).length}))
    .sort((one, other) => other.size - one.size)
    .map(({chart}) => chart);
  const answers = answersOf(records, floor);
  const header = pageHeader(shown, answers);
  const tables = tablesSection(records, floor);
  const around = [notesSection(records), environmentOf(shown), methodSection()];
  const pageWithout = (/** @type {number} */ count, /** @type {Section} */ downloads) => {
    const drawn = chartSections(charts, largestFirst.slice(0, count));
    const what = {title: answers[0].answer, version: shown.version};
    return wholePage(header, [tables, ...drawn, ...around, downloads], what);
  };
  yield pageWithout(0, recordsSection(records, records));
  const withoutTrials = records.map((one) => (one.outcome === 'completed' ? {...one, trials: []} : one));
  const short = recordsSection(withoutTrials, records);
  for (let count = 0; count <= charts.length; count += 1) yield pageWithout(count, short);
  yield pageWithout(charts.length, recordsSection([], records));
}

/** @param {readonly CellRecord[]} kept @param {readonly CellRecord[]} all @returns {Section} */
function recordsSection(kept, all) {
  const missing =
    kept.length === 0
      ? 'This page has no room for them. They are in the journal.'
      : kept[0] === all[0]
        ? 'One line of JSON for each cell, with the histograms of its trials.'
        : 'One line of JSON for each cell. There is no room here for the trials; the journal has them.';
  const link = kept.length === 0 ? null : downloadLink(kept);
  const content = html`<p>${missing}</p>
${link}`;
  return {id: 'records', title: 'Records', content};
}

/** @param {readonly CellRecord[]} records */
function downloadLink(records) {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const data = gzipSync(lines, {level: 9}).toString('base64');
  const name = `perf-battle-${records[0].battleId}.ndjson.gz`;
  return html`<p class="download"><a download="${name}" href="data:application/gzip;base64,${data}">${name}</a></p>`;
}

/**
 * The answer, the question, and where and when it was measured.
 * @param {ShownBattle} shown @param {readonly {table: string, answer: string}[]} answers at least one
 */
function pageHeader({records, battle, version}, [first, ...others]) {
  const [{battleId, seed, rounds}] = records;
  const {host, node, startedAt} = placeOf(records, battle);
  const count = rounds ? `, ${rounds.count} rounds` : '';
  return html`${headingOf([first.answer, ...others.map(({table, answer}) => `${table}: ${answer}`)])}<p>Compared: ${questionOf(records)}.</p>
<p>Measured on ${host}, with ${node}, from ${formatMinute(startedAt)}.</p>
<p class="muted">Battle ${battleId}${count}, seed ${seed}. perf-battle ${version}.</p>`;
}

/** What was compared, how and at which sizes. @param {readonly CellRecord[]} records */
function questionOf(records) {
  const names = [...new Set(records.map(({labels}) => nameOfVariant(labels)))];
  const kinds = [...new Set(records.map(({workload}) => workload))].map((name) => {
    const summary = workloads[name]?.summary;
    return summary ? `${name} (${summary})` : name;
  });
  const sizes = ascending(records.map(({payloadBytes}) => payloadBytes));
  return `${names.join(', ')}; workload ${kinds.join(', ')}; payload ${sizes.map(formatSize).join(', ')}`;
}

/** Failed cells, verdicts and the reasons of each. @param {readonly CellRecord[]} records @returns {Section} */
function notesSection(records) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const notes = battleNotes(records, {notes: [], detail: true});
  const reasons = completed.flatMap((record) =>
    record.verdict.warnings.map(
      ({code, message}) => html`<li>${nameOfCell(record)} (${record.id}): ${code}: ${message}</li>
`,
    ),
  );
  const each =
    reasons.length === 0
      ? null
      : html`<details><summary>The reasons of each cell</summary>
<ul>
${reasons}</ul>
</details>`;
  const content = html`${notes.map(
    (line) => html`<p>${line}</p>
`,
  )}${each}`;
  return {id: 'verdicts', title: 'Verdicts', content};
}

/** @param {ShownBattle} shown */
function environmentOf({records, battle, settings}) {
  const versions = versionsTogether(records.map((record) => record.versions));
  const hosts = Object.entries(asObject(battle?.hosts)).map(
    ([name, host]) => /** @type {const} */ ([`Host ${name}`, namedFacts(asObject(host))]),
  );
  return environmentSection([...hosts, ['Versions', namedVersions(versions)]], settings, 'battle');
}

const drawings = [
  figureOverSize,
  percentileCurves,
  responseOverRate,
  cpuPerMessage,
  anatomyOfMeans,
  trialsByRound,
];

/**
 * The charts of a battle. The same records give the same characters.
 * @param {readonly CellRecord[]} records @param {string} floor the transport that the others are compared with
 * @returns {Chart[]}
 */
export function chartsOf(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  return [...groupBy(completed, tableOf)].flatMap(([{name}, cells]) =>
    drawings.flatMap((draw) => draw(cells, {name, floor})),
  );
}
