import {gzipSync} from 'node:zlib';
import {widths} from '../charts/frame.js';
import {environmentSection, methodSection, notesSection, pageHeader} from './around.js';
import {chartsOf} from './charts/index.js';
import {contents, written} from './contents.js';
import {answersOf} from './headline.js';
import {html} from './html.js';
import {chartSections, tablesSection} from './measured.js';
import {wholePage} from './whole-page.js';

/**
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {ShownBattle} from './around.js'
 * @import {Section} from './contents.js'
 */

/** A mail or a ticket takes a file of this size. */
const maxBytes = 400_000;

/**
 * One self-contained page on a battle, of at most 400 kB unless its tables alone are longer. It loads nothing and reads without script.
 * The same records give the same characters.
 * @param {ShownBattle} shown
 * @returns {string}
 */
export function battlePage(shown) {
  let page = '';
  for (page of pagesOf(shown)) if (Buffer.byteLength(page) <= maxBytes) break;
  return page;
}

/**
 * From the whole page to the shortest: without the trials, then without more and more of the charts, and without the records.
 * @param {ShownBattle} shown
 * @returns {Generator<string, void>}
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
  const around = [notesSection(records), environmentSection(shown), methodSection()];
  const pageWithout = (/** @type {number} */ count, /** @type {Section} */ downloads) => {
    const drawn = chartSections(charts, largestFirst.slice(0, count));
    const sections = [tables, ...drawn, ...around, downloads];
    const body = html`${header}
${contents(sections)}
${written(sections)}`;
    return wholePage(body, {title: answers[0].answer, version: shown.version});
  };
  yield pageWithout(0, recordsSection(records, records));
  const short = recordsSection(records.map(withoutTrials), records);
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

/** @param {CellRecord} record @returns {CellRecord} */
function withoutTrials(record) {
  return record.outcome === 'completed' ? {...record, trials: []} : record;
}
