import {parseBlocks} from './markdown-document.js';
import {replaceMarkedSection, SECTION_MARKERS} from './marked-section.js';
import {missingRows} from './tables/markdown-tables.js';
import {resultRows} from './tables/result-rows.js';
import {appendResultRows} from './tables/results-table.js';

/**
 * @import {CellRecord} from '../results/record-schema.js'
 *
 * @typedef {{records: readonly CellRecord[], others: readonly CellRecord[], onlyMissing: boolean}} RowsToAppend others: of earlier battles, whose rows
 *   the text has; onlyMissing: leave out rows that it already has
 *
 * @typedef {typeof edits} Edits
 * @typedef {{name: keyof Edits, given: object, markdown: string}} Task for another thread
 */

/** What is done to a markdown text. Each gets data only, so that another thread can do it. */
export const edits = {
  /** Appends the completed cells of a battle. @param {RowsToAppend} given @param {string} markdown */
  rows({records, others, onlyMissing}, markdown) {
    let appended = 0;
    const text = [...resultRows(records, others).values()].reduce((before, {kind, rows}) => {
      const wanted = onlyMissing ? missingRows(before, rows, kind) : rows;
      appended += wanted.length;
      return appendResultRows(before, wanted, kind);
    }, markdown);
    return {text, appended};
  },

  /** Replaces what is between the markers. @param {{content: string}} given @param {string} markdown */
  section({content}, markdown) {
    return {text: replaceMarkedSection(markdown, SECTION_MARKERS, content)};
  },

  /** Reads it as each edit does, and changes nothing. @param {{}} _given @param {string} markdown */
  none(_given, markdown) {
    parseBlocks(markdown);
    return {text: markdown};
  },
};
