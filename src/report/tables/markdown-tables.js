import {markdownTable} from 'markdown-table';
import {nameOfCell, nameOfVariant} from '../../columns/names.js';
import {meanRoundTrips} from '../../columns/tables.js';
import {formatBytes, formatSize} from '../../payload/bytes.js';
import {PUBLISHED_SOURCE, publishedRows} from '../../results/published/figures.js';
import {wrapWords} from '../../text/lines.js';
import {battleNotes} from '../battle-notes.js';
import {escapeCell, NOT_AVAILABLE} from '../terminal.js';
import {shownTables, standingOf, tableOf} from './blocks.js';
import {detailColumns} from './detail-columns.js';
import {resultRows} from './result-rows.js';
import {textTable} from './text-table.js';

/**
 * @import {ResultRow, ResultsKind} from '../../columns/column.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {ShownTable} from '../types.js'
 */

/**
 * Returns the tables for a README, one for each workload: the newest result of each configuration, with a column for each machine.
 * @param {readonly CompletedRecord[]} records @param {{withIntervals?: boolean}} [how] @returns {string} without a line ending at its end
 */
export function summaryTable(records, {withIntervals = false} = {}) {
  return [...resultRows(records)]
    .toSorted(
      ([, {kind: one}], [, {kind: other}]) =>
        Number(other === meanRoundTrips) - Number(one === meanRoundTrips),
    )
    .map(([name, {kind, rows}]) =>
      tableOfKind(kind, {
        rows,
        withIntervals,
        machines: [...new Set(records.filter((r) => tableOf(r).name === name).map(({machine}) => machine))],
      }),
    )
    .join('\n\n');
}

/** @param {ResultsKind} kind @param {{rows: readonly ResultRow[], machines: readonly string[], withIntervals: boolean}} shown */
function tableOfKind(kind, {rows, machines, withIntervals}) {
  // Only the format of results.md requires the name Facilitator.
  const names = kind.firstColumns.slice(1).map((name) => (name === 'Facilitator' ? 'Transport' : name));
  const header = [...names, ...machines.map((machine) => kind.prefix + machine)];
  const lines = rows.map((row) => [
    ...kind.nameOf(row),
    ...machines.map((machine) => {
      const figure = row.figures[machine];
      if (figure == null) return NOT_AVAILABLE;
      return (withIntervals && row.withIntervals?.[machine]) || kind.format(figure);
    }),
  ]);
  return tableText([header, ...lines]);
}

/**
 * Returns all figures behind a row, for `table --detail`. Below the table are the problems of each cell, and then the advice.
 * @param {readonly CompletedRecord[]} records
 */
export function detailTable(records) {
  const columns = detailColumns(records);
  const rows = records.map((record) => columns.map(({cell}) => cell(record, standingOf(record))));
  const table = tableText([columns.map(({heading}) => heading), ...rows]);
  const warnings = records.flatMap(({verdict}) => verdict.warnings);
  const advice = new Map(warnings.map((warning) => [warning.code, `${warning.code}: ${warning.advice}`]));
  return [table, listOf(records.flatMap(reasonsOf)), listOf([...advice.values()])]
    .filter(Boolean)
    .join('\n\n');
}

/** @param {CompletedRecord} record */
function reasonsOf(record) {
  const cell = `${nameOfCell(record)}, ${record.workload}, ${record.machine}`;
  return record.verdict.warnings.map(({code, message}) => `${cell}: ${code}: ${message}`);
}

/** @param {readonly string[]} texts */
function listOf(texts) {
  return texts.map((text) => `- ${escapeCell(text)}`).join('\n');
}

/**
 * Returns the tables of a battle as markdown, with summaries and with notes on failed cells and verdicts. The text is for the summary of a
 * CI run, or for a comment on a pull request.
 * @param {readonly CellRecord[]} records @param {string} floor the transport that the others are compared with
 * @returns {string} without a line ending at its end
 */
export function battleMarkdown(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const reasons = completed.flatMap((record) =>
    record.verdict.warnings.map(({code, message}) => `${nameOfCell(record)}: ${code}: ${message}`),
  );
  return [
    ...shownTables(completed, floor).flatMap(partsOfTable),
    listOf(battleNotes(records, {notes: [], detail: true})),
    // The reasons are folded, because there may be many.
    ...(reasons.length > 0
      ? ['<details><summary>The reasons of each cell</summary>', listOf(reasons), '</details>']
      : []),
  ].join('\n\n');
}

/** @param {ShownTable} shown */
function partsOfTable({table: {title}, columns, blocks}) {
  const summary = blocks.flatMap(({payloadBytes, sentences}) =>
    sentences.map((parts) => `- ${formatSize(payloadBytes)}: ${escapeCell(parts.join('; '))}.`),
  );
  const header = ['Payload', 'Transport', ...columns.map(({heading}) => heading), 'Verdict'];
  const rows = blocks.flatMap((block) =>
    block.rows.map(([record, standing]) => [
      formatBytes(record.payloadBytes),
      nameOfVariant(record.labels),
      ...columns.map(({cell}) => cell(record, standing)),
      record.verdict.status,
    ]),
  );
  return [`**${escapeCell(title)}**`, summary.join('\n'), tableText([header, ...rows])];
}

/** @param {readonly (readonly string[])[]} rows the header first */
function tableText(rows) {
  return markdownTable(rows.map((cells) => cells.map(escapeCell)));
}

/** The first column is not called Id, so that this table is never mistaken for the table of measured results. */
const COLUMNS = [
  'Published',
  'Transport',
  'Environment',
  'Payload Size',
  'Persistent',
  'RTT t2.micro',
  'RTT m4.xlarge',
];

const whatIsPublished =
  'These figures were published in 2016, for comparison only; this program did not measure them. Source:';

/**
 * Returns the published figures as a markdown table, below a sentence that describes them and names their source.
 * @returns {string} without a line ending at its end
 */
export function publishedTable() {
  const {title, url} = PUBLISHED_SOURCE;
  return `${whatIsPublished} [${title}](${url}).\n\n${markdownTable([COLUMNS, ...publishedCells()])}`;
}

/** Returns the published figures for a terminal. @param {number} width in characters */
export function publishedText(width) {
  const {title, url} = PUBLISHED_SOURCE;
  const cells = publishedCells();
  const columns = COLUMNS.map((heading, at) => ({
    heading: at === 0 ? '#' : heading.replace(' Size', ''),
    cells: cells.map((row) => row[at].replaceAll('*', '')),
    isText: at > 0 && at < 5,
    wraps: at === 1,
  }));
  const sentence = wrapWords(`${whatIsPublished} ${title}, ${url}`, width);
  return [...sentence, '', ...textTable(columns, width).lines].join('\n');
}

function publishedCells() {
  return publishedRows().map((row) => [
    String(row.id),
    row.facilitator,
    row.environment,
    row.payload,
    row.persistent ?? NOT_AVAILABLE,
    row.rtt['t2.micro']?.printed ?? NOT_AVAILABLE,
    row.rtt['m4.xlarge']?.printed ?? NOT_AVAILABLE,
  ]);
}
