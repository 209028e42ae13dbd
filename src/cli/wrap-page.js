import {columnsOf, wrapIndented, wrapWords} from '../text/lines.js';

/**
 * Shows a page on a terminal: breaks its prose at a width, and shows its tables without markdown. Comments and pictures are left out. Code and headings
 * stay as they are.
 * @param {string} markdown @param {number} width columns
 */
export function wrapPage(markdown, width) {
  /** @type {string[]} */
  const done = [];
  for (const part of partsOf(markdown)) {
    const lines = shownLines(part, width);
    // What is left out leaves no second blank line.
    const isBlank = lines.length === 1 && lines[0] === '';
    if (!(isBlank && done.length > 0 && done.at(-1) === '')) done.push(...lines);
  }
  return done.join('\n');
}

/** @typedef {{kind: 'paragraph' | 'table' | 'code' | 'plain' | 'hidden', lines: string[]}} Part `plain`: a line that stays as it is */

/** @param {string} markdown @returns {Part[]} */
function partsOf(markdown) {
  /** @type {Part[]} */
  const parts = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    const isFence = /^\s*```/.test(line);
    const kind = isFence || isCode ? 'code' : kindOf(line);
    const last = parts.at(-1);
    const goesOn = kind !== 'plain' && last?.kind === kind && !(kind === 'paragraph' && beginOf(line) !== '');
    if (last && goesOn) last.lines.push(line);
    else parts.push({kind, lines: [line]});
    if (isFence) isCode = !isCode;
  }
  return parts;
}

/** @param {string} line outside of code @returns {Part['kind']} */
function kindOf(line) {
  if (/^\s*(<!--.*-->|!\[[^\]]*\]\([^)]*\))\s*$/.test(line)) return 'hidden';
  if (line.startsWith('|')) return 'table';
  return /^(\s*$|[#<]|\[[^\]]*\]:)/.test(line) ? 'plain' : 'paragraph';
}

/** The mark of an item of a list or of a quotation. @param {string} line */
function beginOf(line) {
  return /^(\s*(?:[-*]|\d+\.) +|> )/.exec(line)?.[1] ?? '';
}

/** @param {Part} part @param {number} width @returns {string[]} */
function shownLines({kind, lines}, width) {
  if (kind === 'hidden') return [];
  if (kind === 'table') return showTable(lines, width);
  if (kind !== 'paragraph') return lines;
  const begin = beginOf(lines[0]);
  const words = lines.map((line, index) => line.slice(index === 0 ? begin.length : 0).trim()).join(' ');
  return wrapWords(words, width - begin.length).map(
    (line, index) => (index === 0 ? begin : ' '.repeat(begin.length)) + line,
  );
}

/** @param {string} line of a table @returns {string[]} */
export function cellsOfLine(line) {
  return line
    .trim()
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** The rule below the heading of a table. @param {string} line */
function isRule(line) {
  return /^\|[\s:|-]+\|?\s*$/.test(line);
}

/** A table whose rows fit is shown with aligned columns, another one as a list. @param {readonly string[]} lines @param {number} width */
function showTable(lines, width) {
  const [heading, ...rows] = lines.filter((line) => !isRule(line)).map(cellsOfLine);
  const gap = '  ';
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows].map((row) => columnsOf(row[column] ?? ''))),
  );
  const whole = widths.reduce((sum, one) => sum + one) + gap.length * (widths.length - 1);
  if (whole > width) return rows.flatMap((row) => showRow(heading, row, width));
  const rule = widths.map((one) => '-'.repeat(one));
  return [heading, rule, ...rows].map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column] - columnsOf(cell)))
      .join(gap)
      .trimEnd(),
  );
}

/**
 * Shows a row as a list: its first cell, and below it each other cell after the name of its column.
 * @param {readonly string[]} columns the names @param {readonly string[]} row @param {number} width @returns {string[]}
 */
export function showRow(columns, [first, ...others], width) {
  const facts = others.flatMap((cell, at) =>
    cell === '' ? [] : [columns[at + 1] ? `${columns[at + 1]}: ${cell}` : cell],
  );
  return [...wrapWords(first, width), ...facts.flatMap((fact) => wrapIndented(fact, width, 2))];
}
