import {textOf} from './markdown-document.js';
import {appendResultRows} from './results-table.js';
import {findResultsTable} from './results-table-place.js';

/**
 * The rows that the results table of a markdown text does not hold yet, whatever their Id.
 * @param {string} markdown
 * @param {readonly import('./results-table.js').ResultRow[]} rows
 * @returns {import('./results-table.js').ResultRow[]}
 */
export function missingRows(markdown, rows) {
  const present = new Set(rowTexts(markdown));
  return rows.filter((row) => {
    const [text] = rowTexts(appendResultRows(markdown, [row])).slice(-1);
    return !present.has(text);
  });
}

/**
 * The rows of the results table as they read, without Id and empty or missing cells.
 * @param {string} markdown
 */
function rowTexts(markdown) {
  const rows = findResultsTable(markdown)?.children.slice(1) ?? [];
  return rows.map(({children}) =>
    children
      .slice(1)
      .map(textOf)
      .filter((text) => text !== '' && text !== 'N/A' && text !== '*N/A*')
      .join(' | '),
  );
}
