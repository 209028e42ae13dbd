import {nameOfVariant} from '../../columns/names.js';
import {formatSize} from '../../payload/bytes.js';
import {widths} from '../charts/frame.js';
import {blocksOf, standingsIn} from '../tables/blocks.js';
import {html, Markup} from './html.js';

/**
 * @import {Standing} from '../../columns/column.js'
 * @import {Table} from '../../columns/tables.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {Chart} from './charts/series.js'
 * @import {Section} from './contents.js'
 */

/**
 * For each workload what it shows, in sentences, and its table with all columns.
 * @param {readonly CellRecord[]} records
 * @param {string} floor the transport that the others are compared with
 * @returns {Section}
 */
export function tablesSection(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const tables = blocksOf(completed);
  const content = tables.map(
    ({table, blocks}) => html`<h3 id="table-${table.name}">${table.title}</h3>
<ul>
${blocks.flatMap((block) => summaryOf(table, block, floor))}</ul>
${tableMarkup(table, blocks, floor)}`,
  );
  const parts = tables.map(({table: {name, title}}) => ({id: `table-${name}`, title}));
  return {id: 'tables', title: 'What was measured', parts, content: html`${content}`};
}

/**
 * @param {readonly Chart[]} charts
 * @param {readonly Chart[]} leftOut those of them for which there is no room
 * @param {string} [about] what their points say
 * @returns {Section[]}
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
<p>There is no room here for these, which perf-battle chart draws: ${leftOut.map(({id}) => id).join(', ')}.</p>`;
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

/** A main chart has a layout for its place on a wide screen, too. @param {Chart} chart */
function layoutsOf({draw, isMain = false}) {
  const narrow = draw({width: widths.narrow});
  if (!isMain) return new Markup(narrow);
  return html`<div class="in-wide">${new Markup(draw({width: widths.wide}))}</div>
<div class="in-narrow">${new Markup(narrow)}</div>`;
}

/** What the points of a chart say, for those who cannot point at them. @param {Chart} chart */
function valuesOf({title, values: {what, columns, rows, isFolded = false}}) {
  return html`<details class="values"${isFolded ? null : new Markup(' open')}><summary>Values: ${what}</summary>
<div class="scroll" role="group" tabindex="0" aria-label="${title}: values">
<table aria-label="${title}">
<thead><tr><td></td>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows.map(
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

/** @param {Table} table @param {readonly CompletedRecord[]} block @param {string} floor */
function summaryOf(table, block, floor) {
  const isFloor = (/** @type {CompletedRecord} */ {transport}) => transport === floor;
  const [{payloadBytes}] = block;
  return table.summarize(block, isFloor).map(
    (parts) => html`<li><strong>${formatSize(payloadBytes)}</strong>: ${parts.join('; ')}.</li>
`,
  );
}

/** @param {Table} table @param {readonly CompletedRecord[][]} blocks @param {string} floor */
function tableMarkup({name, title, columns}, blocks, floor) {
  const shown = columns.filter(({isShown}) => isShown?.(blocks.flat()) ?? true);
  const headings = [
    html`<th class="text" data-figure scope="col">Payload</th><th class="text" scope="col">Transport</th><th class="text" scope="col">Verdict</th>`,
    ...shown.map(({heading}) => html`<th scope="col">${heading}</th>`),
    html`<th class="text" scope="col">Record</th>`,
  ];
  const rows = blocks.flatMap((block) =>
    [...standingsIn(block, floor)].map(([record, standing]) => rowOf(record, standing, shown)),
  );
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="table-${name}">
<table class="sortable" aria-label="${title}">
<thead><tr>${headings}</tr></thead>
<tbody>
${rows}</tbody>
</table>
</div>`;
}

/** @param {CompletedRecord} record @param {Standing} standing @param {Table['columns']} columns */
function rowOf(record, standing, columns) {
  const {id, payloadBytes, labels, verdict} = record;
  const codes = verdict.warnings.map(({code}) => code).filter((code) => code !== verdict.status);
  return html`<tr id="record-${id}"><td class="text" data-value="${payloadBytes}">${formatSize(payloadBytes)}</td><td class="text">${nameOfVariant(labels)}</td><td class="text ${verdict.status}">${[verdict.status, ...codes].join(', ')}</td>${columns.map(
    ({cell}) => html`<td>${cell(record, standing)}</td>`,
  )}<td class="text id">${id}</td></tr>
`;
}
