import {listVerdict} from '../../columns/figures.js';
import {nameOfVariant} from '../../columns/names.js';
import {formatSize} from '../../payload/bytes.js';
import {widths} from '../charts/parts.js';
import {shownTables} from '../tables/blocks.js';
import {mostOpenColumns} from './charts/series.js';
import {bulletList, columnHeading, html, Markup, sortableTable} from './html.js';

/**
 * @import {Standing} from '../../columns/column.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {Chart} from '../charts/chart.js'
 * @import {ShownTable} from '../types.js'
 * @import {Section} from './html.js'
 */

/**
 * Returns for each workload a summary in sentences and the table with all columns.
 * @param {readonly CellRecord[]} records @param {string} floor the transport that the others are compared with @returns {Section}
 */
export function tablesSection(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const tables = shownTables(completed, floor);
  const content = tables.map((shown) => {
    const {name, title} = shown.table;
    const summary = shown.blocks.flatMap(({payloadBytes, sentences}) =>
      sentences.map((parts) => html`<strong>${formatSize(payloadBytes)}</strong>: ${parts.join('; ')}.`),
    );
    return html`<h3 id="table-${name}">${title}</h3>
${bulletList(summary)}${tableMarkup(shown)}`;
  });
  const parts = tables.map(({table: {name, title}}) => ({id: `table-${name}`, title}));
  return {id: 'tables', title: 'What was measured', parts, content: html`${content}`};
}

/**
 * @param {readonly Chart[]} charts @param {readonly Chart[]} leftOut the charts that do not fit into the page
 * @param {string} [about] what the points of the charts say @returns {Section[]}
 */
export function chartSections(
  charts,
  leftOut,
  about = 'Each point names its figure, its verdict and its record.',
) {
  if (charts.length === 0) return [];
  const missing =
    leftOut.length === 0
      ? null
      : html`
<p>This page has no room for these charts, which perf-battle chart draws: ${leftOut.map(({id}) => id).join(', ')}.</p>`;
  const shown = charts.filter((chart) => !leftOut.includes(chart));
  const figures = shown.map(
    (chart) => html`<figure id="${chart.id}"${chart.isMain ? new Markup(' class="main"') : null}>
<h3>${chart.title}</h3>
${layoutsOf(chart)}
<figcaption>${chart.note}</figcaption>
${valuesOf(chart)}
</figure>
`,
  );
  const drawn =
    shown.length === 0
      ? null
      : html`
<p class="muted" id="points">${about}</p>
<div class="charts">
${figures}</div>`;
  return [{id: 'charts', title: 'Charts', parts: shown, content: html`${missing}${drawn}`}];
}

/** A main chart has a second layout for wide screens. @param {Chart} chart */
function layoutsOf({draw, isMain = false}) {
  const narrow = draw({width: widths.narrow});
  if (!isMain) return new Markup(narrow);
  return html`<div class="in-wide">${new Markup(draw({width: widths.wide}))}</div>
<div class="in-narrow">${new Markup(narrow)}</div>`;
}

/**
 * Returns the texts of the points of a chart as a table, for readers without a pointer. With many columns, its rows and columns change places.
 * @param {Chart} chart
 */
function valuesOf({title, values: {what, columns, rows, isFolded = false}}) {
  const names = rows.map(({name}) => name);
  const isTurned = columns.length > Math.max(mostOpenColumns, rows.length);
  const headings = isTurned ? names : columns;
  const lines = isTurned
    ? columns.map((name, index) => ({name, cells: rows.map(({cells}) => cells[index])}))
    : rows;
  return html`<details class="values"${isFolded ? null : new Markup(' open')}><summary>Values: ${what}</summary>
<div class="scroll" role="group" tabindex="0" aria-label="${title}: values">
<table aria-label="${title}">
<thead><tr><td></td>${headings.map((name) => columnHeading(name, 'figures'))}</tr></thead>
<tbody>
${lines.map(
  ({
    name,
    cells,
  }) => html`<tr><th class="text" scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody>
</table>
</div>
</details>`;
}

/** @param {ShownTable} shown */
function tableMarkup({table: {name, title}, columns, blocks}) {
  const headings = [
    html`<th class="text" data-figure scope="col">Payload</th>`,
    ...['Transport', 'Verdict'].map((heading) => columnHeading(heading)),
    ...columns.map(({heading}) => columnHeading(heading, 'figures')),
    columnHeading('Record'),
  ];
  const rows = blocks.flatMap((block) =>
    block.rows.map(([record, standing]) => rowOf(record, standing, columns)),
  );
  return sortableTable({labelledBy: `table-${name}`, label: title}, headings, rows);
}

/** @param {CompletedRecord} record @param {Standing} standing @param {ShownTable['columns']} columns */
function rowOf(record, standing, columns) {
  const {id, payloadBytes, labels, verdict} = record;
  return html`<tr id="record-${id}"><td class="text" data-value="${payloadBytes}">${formatSize(payloadBytes)}</td><td class="text">${nameOfVariant(labels)}</td><td class="text ${verdict.status}">${listVerdict(verdict)}</td>${columns.map(
    ({cell}) => html`<td>${cell(record, standing)}</td>`,
  )}<td class="text id">${id}</td></tr>
`;
}

/** @returns {Section} */
export function methodSection() {
  const content = html`<p>In each round, each variant gets a fresh client process and a fresh server process. A monotonic clock times each round trip, from right
before the request is passed to the library until the whole reply has arrived. Replies are checked outside of the timed part.
A mean is the mean of the trials' means, with a 95 % interval by Student's t on their logarithms. Ratios are paired by round.
Percentiles are over all samples, with the same weight for each trial.</p>
<p>A cell is <span class="wide">wide</span> if only its interval is too wide, and <span class="suspect">suspect</span> if its figure may be
wrong. <code>perf-battle help how-it-measures</code> prints the whole method.</p>`;
  return {id: 'method', title: 'How it was measured', content};
}
