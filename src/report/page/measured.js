import {nameOfVariant} from '../../columns/names.js';
import {formatSize} from '../../payload/bytes.js';
import {blocksOf, standingsIn} from '../tables/blocks.js';
import {html, Markup} from './html.js';

/**
 * @import {Standing} from '../../columns/column.js'
 * @import {Table} from '../../columns/tables.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {Chart} from './charts/series.js'
 */

/**
 * For each workload what it shows, in sentences, and its table with all columns.
 * @param {readonly CellRecord[]} records
 * @param {string} floor the transport that the others are compared with
 */
export function tableSections(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const sections = blocksOf(completed).map(
    ({table, blocks}) => html`<h3 id="table-${table.name}">${table.title}</h3>
<ul>
${blocks.flatMap((block) => summaryOf(table, block, floor))}</ul>
${tableMarkup(table, blocks, floor)}`,
  );
  return html`<h2 id="tables">What was measured</h2>
${sections}`;
}

/** @param {readonly Chart[]} charts @param {readonly Chart[]} leftOut those of them for which there is no room */
export function chartSections(charts, leftOut) {
  if (charts.length === 0) return null;
  const missing =
    leftOut.length === 0
      ? null
      : html`
<p>There is no room here for these, which perf-battle chart draws: ${leftOut.map(({id}) => id).join(', ')}.</p>`;
  const shown = charts.filter((chart) => !leftOut.includes(chart));
  const figures = shown.map(
    ({id, title, note, svg}) => html`<figure id="${id}">
<h3>${title}</h3>
${new Markup(svg)}
<figcaption>${note}</figcaption>
</figure>
`,
  );
  const drawn =
    shown.length === 0
      ? null
      : html`
<p class="muted">Each point names its figure, its verdict and its record.</p>
<div class="charts">
${figures}</div>`;
  return html`<h2 id="charts">Charts</h2>${missing}${drawn}`;
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
    html`<th class="text" data-figure scope="col">Payload</th><th class="text" scope="col">Transport</th>`,
    ...shown.map(({heading}) => html`<th scope="col">${heading}</th>`),
    html`<th class="text" scope="col">Verdict</th><th class="text" scope="col">Record</th>`,
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
  return html`<tr id="record-${id}"><td class="text" data-value="${payloadBytes}">${formatSize(payloadBytes)}</td><td class="text">${nameOfVariant(labels)}</td>${columns.map(
    ({cell}) => html`<td>${cell(record, standing)}</td>`,
  )}<td class="text ${verdict.status}">${[verdict.status, ...codes].join(', ')}</td><td class="text id">${id}</td></tr>
`;
}
