import {maxWholeLength, reduceMarkdown} from './reduce-markdown.js';

/**
 * What the parser has to do for a markdown text, estimated in a time that grows with its length. The parser's own time grows with the square of how many
 * characters that may open or close something a paragraph has, and of how deep quotations and lists are in each other.
 *
 * @typedef {object} MarkdownCost
 * @property {boolean} isHigh whether it may take more than a moment
 * @property {number} line with the largest part of it, from 1
 */

/** A paragraph, a row of a table and a nesting up to these are usual. */
const usual = {marksOfParagraph: 200, marksOfRow: 50, depth: 8};

/** Of the squares of what is beyond. The parser takes about half a second for as much. */
const maxSquares = 1_000_000;

/** The parser reads this much within a second, whatever it is. */
const maxLength = 100_000;

const marks = /[*_[\]!<&`~|\\]/g;
const containers = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))*[ \t]*/;
/** Without its white space. */
const delimiterRow = /^\|?:?-+:?(?:\|:?-+:?)*\|?$/;

/** @param {string} markdown @returns {MarkdownCost} */
export function costOfMarkdown(markdown) {
  const lines = markdown.split(/\r\n?|\n/);
  let squares = 0;
  let largest = {line: 1, square: 0};
  const add = (/** @type {number} */ line, /** @type {number} */ beyond) => {
    const square = Math.max(0, beyond) ** 2;
    squares += square;
    if (square > largest.square) largest = {line, square};
  };
  for (const {from, to} of blocksOf(lines)) {
    const isTable = to - from > 1 && isTableHead(lines[from], lines[from + 1]);
    let ofParagraph = {line: from + 1, most: 0, all: 0};
    for (let index = from; index < to; index += 1) {
      add(index + 1, depthOf(lines[index]) - usual.depth);
      const count = lines[index].match(marks)?.length ?? 0;
      if (isTable) add(index + 1, count - usual.marksOfRow);
      else if (count > ofParagraph.most)
        ofParagraph = {line: index + 1, most: count, all: ofParagraph.all + count};
      else ofParagraph.all += count;
    }
    add(ofParagraph.line, ofParagraph.all - usual.marksOfParagraph);
  }
  const isLong = markdown.length > maxWholeLength && reduceMarkdown(markdown).text.length > maxLength;
  return {isHigh: squares > maxSquares || isLong, line: largest.line};
}

/** @param {readonly string[]} lines @returns {{from: number, to: number}[]} the lines between blank ones */
function blocksOf(lines) {
  const blocks = [];
  let from = 0;
  for (let index = 0; index <= lines.length; index += 1) {
    if (index < lines.length && lines[index].trim() !== '') continue;
    if (index > from) blocks.push({from, to: index});
    from = index + 1;
  }
  return blocks;
}

/** @param {string} header @param {string} delimiter */
function isTableHead(header, delimiter) {
  const row = delimiter.replace(/[ \t]/g, '');
  return delimiterRow.test(row) && columnsOf(row) === columnsOf(header.trim());
}

/** @param {string} row */
function columnsOf(row) {
  return row.replace(/^\||\|$/g, '').split('|').length;
}

/** How deep a line may be in quotations and lists. @param {string} line */
function depthOf(line) {
  const [before] = /** @type {RegExpExecArray} */ (containers.exec(line));
  const spaces = before.length - before.trimStart().length;
  return (before.match(/\S+/g)?.join('').length ?? 0) + Math.floor(spaces / 2);
}
