import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';
import {chartStyle} from '../charts/standalone.js';
import {environmentSection, methodSection, notesSection, pageHeader} from './around.js';
import {chartsOf} from './charts/index.js';
import {html, Markup} from './html.js';
import {chartSections, tableSections} from './measured.js';

/**
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {ShownBattle} from './around.js'
 */

/** A mail or a ticket takes a file of this size. */
const maxBytes = 400_000;

const style = chartStyle + readHere('./style.css');
const script = readHere('./page-script.js').replace(/^\/\*\*.*?\*\/\n/s, '');

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
  const largestFirst = charts.toSorted((one, other) => other.svg.length - one.svg.length);
  const before = html`${pageHeader(shown)}
${tableSections(records, floor)}`;
  const after = html`${notesSection(records)}
${environmentSection(shown)}
${methodSection()}`;
  const bodyWithout = (/** @type {number} */ count) => html`${before}
${chartSections(charts, largestFirst.slice(0, count))}
${after}`;
  yield pageOf(bodyWithout(0), recordsSection(records, records), shown);
  const short = recordsSection(records.map(withoutTrials), records);
  for (let count = 0; count <= charts.length; count += 1) yield pageOf(bodyWithout(count), short, shown);
  yield pageOf(bodyWithout(charts.length), recordsSection([], records), shown);
}

/** @param {Markup} body @param {Markup} downloads @param {ShownBattle} shown */
function pageOf(body, downloads, shown) {
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'`;
  const [{battleId}] = shown.records;
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="generator" content="perf-battle ${shown.version}">
<title>perf-battle ${battleId}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>
${body}
${downloads}
</main>
<script>${new Markup(script)}</script>
</body>
</html>
`);
}

/** @param {readonly CellRecord[]} kept @param {readonly CellRecord[]} all */
function recordsSection(kept, all) {
  const missing =
    kept.length === 0
      ? 'This page has no room for them. They are in the journal.'
      : kept[0] === all[0]
        ? 'One line of JSON for each cell, with the histograms of its trials.'
        : 'One line of JSON for each cell. There is no room here for the trials; the journal has them.';
  const link = kept.length === 0 ? null : downloadLink(kept);
  return html`<h2 id="records">Records</h2>
<p>${missing}</p>
${link}`;
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

/** @param {string} text within an element */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** @param {string} path @returns {string} */
function readHere(path) {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
