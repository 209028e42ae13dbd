import {markdownTable} from 'markdown-table';
import {nameOfCell} from '../../columns/names.js';
import {meanRoundTrips} from '../../columns/results-kinds.js';
import {endOf, startOf, textOf} from '../markdown-document.js';
import {standingOf} from './blocks.js';
import {detailColumns} from './detail-columns.js';
import {resultRows} from './result-rows.js';
import {appendResultRows} from './results-table.js';
import {findResultsTable} from './results-table-place.js';
import {escapeCell, NOT_AVAILABLE, tableOf} from './table-of.js';

/**
 * @import {ResultRow, ResultsKind} from '../../columns/results-kinds.js'
 * @import {CompletedRecord} from '../../results/record-schema.js'
 */

/**
 * The tables for a README, one for each workload: the newest result of each configuration, machines side by side.
 * @param {readonly CompletedRecord[]} records
 * @param {{withIntervals?: boolean}} [how]
 * @returns {string} without a line ending at its end
 */
export function summaryTable(records, {withIntervals = false} = {}) {
  return [...resultRows(records)]
    .toSorted(([, {kind: one}], [, {kind: other}]) => roundTripsFirst(one, other))
    .map(([name, {kind, rows}]) =>
      tableOfKind(kind, {
        rows,
        withIntervals,
        machines: [...new Set(records.filter((r) => tableOf(r).name === name).map(({machine}) => machine))],
      }),
    )
    .join('\n\n');
}

/** @param {ResultsKind} one @param {ResultsKind} other */
function roundTripsFirst(one, other) {
  return Number(other === meanRoundTrips) - Number(one === meanRoundTrips);
}

/** @param {ResultsKind} kind @param {{rows: readonly ResultRow[], machines: readonly string[], withIntervals: boolean}} shown */
function tableOfKind(kind, {rows, machines, withIntervals}) {
  // Only the format of results.md fixes this name.
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
  return markdownTable([header, ...lines].map((cells) => cells.map(escapeCell)));
}

/**
 * All figures behind a row, for `table --detail`. Below are a list of the problems of each cell, and one of what to do.
 * @param {readonly CompletedRecord[]} records
 * @returns {string}
 */
export function detailTable(records) {
  const columns = detailColumns(records);
  const rows = records.map((record) => columns.map(({cell}) => cell(record, standingOf(record))));
  const table = markdownTable(
    [columns.map(({heading}) => heading), ...rows].map((row) => row.map(escapeCell)),
  );
  const warnings = records.flatMap(({verdict}) => verdict.warnings);
  const advice = new Map(warnings.map((warning) => [warning.code, `${warning.code}: ${warning.advice}`]));
  return [table, listOf(records.flatMap(reasonsOf)), listOf([...advice.values()])]
    .filter(Boolean)
    .join('\n\n');
}

/** @param {CompletedRecord} record @returns {string[]} */
function reasonsOf(record) {
  const cell = `${nameOfCell(record)}, ${record.workload}, ${record.machine}`;
  return record.verdict.warnings.map(({code, message}) => `${cell}: ${code}: ${message}`);
}

/** @param {readonly string[]} texts */
function listOf(texts) {
  return texts.map((text) => `- ${escapeCell(text)}`).join('\n');
}

/**
 * The rows that the results table of a markdown text does not have yet. Ids are not compared.
 * @param {string} markdown
 * @param {readonly ResultRow[]} rows
 * @param {ResultsKind} kind
 * @returns {ResultRow[]}
 */
export function missingRows(markdown, rows, kind) {
  const table = findResultsTable(markdown, kind);
  if (table === undefined) return [...rows];
  const [header, delimiter, ...lines] = markdown.slice(startOf(table), endOf(table)).split(/\r\n?|\n/);
  const head = `${header}\n${delimiter}`;
  // A table may have thousands of rows, but few have the figures of the new ones. Only these are parsed.
  const figures = rows.flatMap((row) => figuresOfRow(row, kind));
  const candidates = lines.filter((line) => figures.some((figure) => line.includes(figure)));
  const present = new Set(rowTexts([head, ...candidates].join('\n'), kind));
  return rows.filter((row) => {
    const [text] = rowTexts(appendResultRows(head, [row], kind), kind).slice(-1);
    return !present.has(text);
  });
}

/** @param {ResultRow} row @param {ResultsKind} kind @returns {string[]} as the table shows them */
function figuresOfRow({figures}, kind) {
  return Object.values(figures).flatMap((figure) =>
    Number.isFinite(figure) ? kind.format(Number(figure)) : [],
  );
}

/**
 * The rows of the results table as text, without Id and without empty or missing cells.
 * @param {string} markdown
 * @param {ResultsKind} kind
 */
function rowTexts(markdown, kind) {
  const rows = findResultsTable(markdown, kind)?.children.slice(1) ?? [];
  return rows.map(({children}) =>
    children
      .slice(1)
      .map(textOf)
      .filter((text) => text !== '' && text !== 'N/A' && text !== '*N/A*')
      .join(' | '),
  );
}
