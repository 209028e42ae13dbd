import {textOf} from './markdown-document.js';
import {appendResultRows} from './results-table.js';
import {findResultsTable} from './results-table-place.js';

/**
 * @import {ResultRow, ResultsKind} from '../columns/results-kinds.js'
 */

/**
 * The rows that the results table of a markdown text does not have yet, whatever their Id.
 * @param {string} markdown
 * @param {readonly ResultRow[]} rows
 * @param {ResultsKind} kind
 * @returns {ResultRow[]}
 */
export function missingRows(markdown, rows, kind) {
  const present = new Set(rowTexts(markdown, kind));
  return rows.filter((row) => {
    const [text] = rowTexts(appendResultRows(markdown, [row], kind), kind).slice(-1);
    return !present.has(text);
  });
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
