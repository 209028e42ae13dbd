import {UsageError} from '../errors.js';
import {indentStart, lineEndAfter, lineEndingAt} from '../files/text-lines.js';
import {commentText, endOf, findComments, parseBlocks, startOf} from './markdown-document.js';

/** @import {Block} from './markdown-document.js' */

/** The comments between which a page keeps its generated table. */
export const SECTION_MARKERS = {begin: '<!-- perf-battle:begin -->', end: '<!-- perf-battle:end -->'};

/**
 * Replaces the lines between two comment lines of a markdown text, with a blank line on either side of the new
 * content, so that whatever it is made of ends before the second comment. The comments and all outside them stay as
 * they are; the new lines end as the line of the first comment does. Replacing again with the same content changes
 * nothing.
 *
 * @param {string} markdown
 * @param {{begin: string, end: string}} markers the comments, each alone on a line at top level: not in a fence, a
 *   list, a quotation or another comment
 * @param {string} content
 * @returns {string}
 * @throws {UsageError} when a comment is missing or stands there twice, or the second before the first
 */
export function replaceMarkedSection(markdown, {begin, end}, content) {
  const blocks = parseBlocks(markdown);
  const first = findOnly(blocks, begin);
  const last = findOnly(blocks, end);
  if (startOf(last) < startOf(first)) {
    throw new UsageError(`${begin} must stand before ${end}, but comes after it. Swap the two lines.`);
  }
  const from = lineEndAfter(markdown, endOf(first));
  const lineEnding = lineEndingAt(markdown, from);
  const section = ['', ...paragraphLines(content), ''].join(lineEnding);
  return markdown.slice(0, from) + section + markdown.slice(indentStart(markdown, startOf(last)));
}

/**
 * The one top-level block that starts with a comment.
 *
 * @param {Block[]} blocks
 * @param {string} comment
 * @returns {Block}
 */
function findOnly(blocks, comment) {
  const htmlBlocks = blocks.filter(({type}) => type === 'html');
  const found = findComments(htmlBlocks, commentText(comment) ?? comment);
  if (found.length === 1 && found[0] !== undefined) return found[0];
  throw new UsageError(
    found.length === 0
      ? `The line ${comment} is missing. It must stand alone on a line, not in a code block, list or quotation. Add it where the table belongs.`
      : `The line ${comment} stands there ${found.length} times, but must only once. Remove the others.`,
  );
}

/**
 * The lines of a text between blank lines, none for an empty text.
 *
 * @param {string} content
 * @returns {string[]}
 */
function paragraphLines(content) {
  const trimmed = content.trimEnd().replace(/^(?:[ \t]*[\r\n])+/, '');
  return trimmed === '' ? [] : ['', ...trimmed.split(/\r\n|\n|\r/), ''];
}
