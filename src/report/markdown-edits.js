import {UsageError} from '../errors.js';
import {indentStart, lineEndAfter, lineEndingAt} from '../files/text-lines.js';
import {commentText, endOf, findComments, parseBlocks, startOf} from './markdown-document.js';
import {resultRows} from './tables/result-rows.js';
import {appendResultRows, missingRows} from './tables/results-table.js';

/**
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {Block} from './types.js'
 */

/**
 * @typedef {{records: readonly CellRecord[], others: readonly CellRecord[], onlyMissing: boolean}} RowsToAppend others: of earlier battles, whose rows
 *   the text has; onlyMissing: skip rows that the text already has
 *
 * @typedef {typeof edits} Edits
 * @typedef {{name: keyof Edits, given: object, markdown: string}} Task for another thread
 */

/** Edits of a markdown text. Their arguments are plain data, so that another thread can run an edit. */
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

  /** Replaces the section between the markers. @param {{content: string}} given @param {string} markdown */
  section({content}, markdown) {
    return {text: replaceMarkedSection(markdown, SECTION_MARKERS, content)};
  },

  /** Parses the text as every edit does, and changes nothing. @param {{}} _given @param {string} markdown */
  none(_given, markdown) {
    parseBlocks(markdown);
    return {text: markdown};
  },
};

export const SECTION_MARKERS = {begin: '<!-- perf-battle:begin -->', end: '<!-- perf-battle:end -->'};

/**
 * Replaces the lines between two comment lines of a markdown text. A blank line on either side separates the new content from the comments.
 * Text outside the comments does not change. The new lines end like the line of the first comment. The replacement is idempotent.
 * @param {string} markdown
 * @param {{begin: string, end: string}} markers the comments, each alone on a line at top level: not in a fence, a list, a quotation or another
 *   comment
 * @param {string} content @throws {UsageError} if a comment is missing or occurs twice, or if the comments are in the wrong order
 */
export function replaceMarkedSection(markdown, {begin, end}, content) {
  const blocks = parseBlocks(markdown);
  const first = findOnly(blocks, begin);
  const last = findOnly(blocks, end);
  if (startOf(last) < startOf(first)) {
    throw new UsageError(`${begin} must be before ${end}, but is after it. Swap the two lines.`);
  }
  const from = lineEndAfter(markdown, endOf(first));
  const lineEnding = lineEndingAt(markdown, from);
  const section = ['', ...paragraphLines(content), ''].join(lineEnding);
  return markdown.slice(0, from) + section + markdown.slice(indentStart(markdown, startOf(last)));
}

/** Returns the only top-level block that starts with a comment. @param {Block[]} blocks @param {string} comment */
function findOnly(blocks, comment) {
  const htmlBlocks = blocks.filter(({type}) => type === 'html');
  const found = findComments(htmlBlocks, commentText(comment) ?? comment);
  if (found.length === 1 && found[0] !== undefined) return found[0];
  throw new UsageError(
    found.length === 0
      ? `The line ${comment} is missing. It must be alone on a line, not in a code block, list or quotation. Add it where the table belongs.`
      : `The line ${comment} occurs ${found.length} times, but must occur once. Remove the others.`,
  );
}

/** Returns the lines of a text between blank lines; none for an empty text. @param {string} content */
function paragraphLines(content) {
  const trimmed = content.trimEnd().replace(/^(?:[ \t]*[\r\n])+/, '');
  return trimmed === '' ? [] : ['', ...trimmed.split(/\r\n|\n|\r/), ''];
}
