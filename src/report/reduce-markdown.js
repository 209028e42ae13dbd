/**
 * @typedef {{text: string, originalOffset: (offset: number) => number}} ReducedText originalOffset: maps an offset of the reduced text to one of the
 *   whole text
 * @typedef {'row' | 'text' | '-' | '+' | '*' | '#' | 'blank' | 'flush' | 'other'} Kind kind of a line. To a parser, lines of the same kind are alike,
 *   for the first six kinds; flush and other: lines that must be kept, without and with white space at the start
 * @typedef {{starts: number[], kinds: Kind[]}} Lines starts: one more than there are lines
 */

/** A text up to this length is parsed whole. */
export const maxWholeLength = 32_768;

/** Matches the line below the header of a table, an underline, or a thematic break. */
const delimiter = /^[ \t|:=*_-]*$/;

/**
 * Removes parts of a long markdown text that do not affect where its tables and top-level comments are. The parser's time grows with the
 * square of some texts. The function removes paragraphs, lists and other blocks between blank lines, if they have no table and open or close
 * no longer block. It also removes the inner lines of five or more consecutive lines of the same kind, such as table rows or list items.
 * @param {string} markdown @returns {ReducedText}
 */
export function reduceMarkdown(markdown) {
  const lines = linesOf(markdown);
  /** Gaps in the reduced text: the offset, and the characters missing up to the offset. @type {{at: number, missing: number}[]} */
  const gaps = [];
  let text = '';
  let keptUntil = 0;
  const keep = (/** @type {number} */ start, /** @type {number} */ end) => {
    if (start > keptUntil) gaps.push({at: text.length, missing: start - text.length});
    text += markdown.slice(start, end);
    keptUntil = end;
  };
  for (const {from, to} of blocksOf(lines)) {
    for (let index = from; index < to; index += 1) {
      if (!isWithinRun(lines, index)) keep(lines.starts[index], lines.starts[index + 1]);
    }
  }
  return {text, originalOffset: (offset) => offset + missingBefore(gaps, offset)};
}

/** Lines are numbers and letters, not objects, because a text may have half a million lines. @param {string} markdown @returns {Lines} */
function linesOf(markdown) {
  const starts = [0];
  /** @type {Kind[]} */
  const kinds = [];
  for (const {index, 0: ending} of markdown.matchAll(/\r\n?|\n/g)) {
    kinds.push(kindOf(markdown.slice(starts[starts.length - 1], index)));
    starts.push(index + ending.length);
  }
  kinds.push(kindOf(markdown.slice(starts[starts.length - 1])));
  return {starts: [...starts, markdown.length], kinds};
}

/** @param {string} line */
function kindOf(line) {
  const first = line.charCodeAt(0);
  if (Number.isNaN(first)) return 'blank';
  // The two most frequent kinds are tested first: a row of a table and a line of text.
  if (first === 0x7c || isLetter(first)) return isPlain(line) ? (first === 0x7c ? 'row' : 'text') : 'flush';
  if (line.trim() === '') return 'blank';
  if (!isPlain(line)) return /^\s/.test(line) ? 'other' : 'flush';
  if (/^\d+ *\|/.test(line)) return 'row';
  if (/^(?:[-+*] |#{1,6} )[\p{L}\p{N}]/u.test(line)) return /** @type {Kind} */ (line[0]);
  return /^\s/.test(line) ? 'other' : 'flush';
}

/** @param {number} code of a character */
function isLetter(code) {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** Returns whether a line opens and closes no block and no span. @param {string} line */
function isPlain(line) {
  if (/[<>]|``|~~~/.test(line) || delimiter.test(line)) return false;
  return !line.includes('`') || line.split('`').length % 2 === 1;
}

/**
 * Splits a text at each line without indentation that follows a blank line. There, only blocks that may contain blank lines are open.
 * @param {Lines} lines @returns {{from: number, to: number}[]} only the parts to keep
 */
function blocksOf({kinds}) {
  const blocks = [];
  let from = 0;
  let matters = false;
  for (let index = 0; index <= kinds.length; index += 1) {
    const kind = kinds[index];
    const isStart = index > 0 && kinds[index - 1] === 'blank' && kind !== 'blank' && kind !== 'other';
    if (isStart || index === kinds.length) {
      if (matters) blocks.push({from, to: index});
      from = index;
      matters = false;
    }
    matters ||= kind === 'flush' || kind === 'other';
  }
  return blocks;
}

/** @param {Lines} lines @param {number} index */
function isWithinRun({kinds}, index) {
  const kind = kinds[index];
  if (kind === 'blank' || kind === 'flush' || kind === 'other') return false;
  return [-2, -1, 1, 2].every((distance) => kinds[index + distance] === kind);
}

/** @param {readonly {at: number, missing: number}[]} gaps in order @param {number} offset */
function missingBefore(gaps, offset) {
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gaps[middle].at <= offset) low = middle + 1;
    else high = middle;
  }
  return gaps[low - 1]?.missing ?? 0;
}

/**
 * Estimates the parser's work for a markdown text, in a time that grows linearly with the length. The parser's time grows with the square of two
 * numbers: characters in a paragraph that may open or close a span, and the depth of nested quotations and lists.
 * @typedef {{isHigh: boolean, line: number}} MarkdownCost isHigh: whether the parser may take more than a moment; line: the line with the largest
 *   part of the cost, from 1
 */

/** Paragraphs, table rows and nesting up to these limits are cheap. */
const usual = {marksOfParagraph: 200, marksOfRow: 50, depth: 8};

/** The limit for the sum of the squared excesses. The parser takes about half a second for this sum. */
const maxSquares = 1_000_000;

/** The parser reads this many characters within a second, whatever they are. */
const maxLength = 100_000;

const marks = /[*_[\]!<&`~|\\]/g;
const containers = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))*[ \t]*/;
/** Matches a delimiter row without white space. */
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
  for (const {from, to} of paragraphsOf(lines)) {
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

/** @param {readonly string[]} lines @returns {{from: number, to: number}[]} the ranges between blank lines */
function paragraphsOf(lines) {
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

/** Returns the largest possible depth of a line in quotations and lists. @param {string} line */
function depthOf(line) {
  const [before] = /** @type {RegExpExecArray} */ (containers.exec(line));
  const spaces = before.length - before.trimStart().length;
  return (before.match(/\S+/g)?.join('').length ?? 0) + Math.floor(spaces / 2);
}
