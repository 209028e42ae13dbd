import {endOf, startOf, textOf} from '../markdown-document.js';
import {appendResultRows} from './results-table.js';
import {findResultsTable} from './results-table-place.js';

/**
 * @import {ResultRow, ResultsKind} from '../../columns/results-kinds.js'
 */

/**
 * The rows that the results table of a markdown text does not have yet, whatever their Id.
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
