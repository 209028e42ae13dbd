import {wrapWords} from './wrap-words.js';

/**
 * A column of a table of plain text.
 *
 * @typedef {object} TextColumn
 * @property {string} heading
 * @property {readonly string[]} cells one per row
 * @property {number} [priority] 0, the default, is always shown; of the others, those with the lower number come first
 * @property {boolean} [isText] aligned to the left; figures are aligned to the right
 * @property {boolean} [wraps] a cell that is too wide continues on another line, between words
 * @property {(cell: string) => string} [paint] adds colours
 */

/** The share of the width that a column which wraps may use before it does so. */
const maxShareOfNames = 0.4;
const gap = '  ';

/**
 * Lays out a table in a width. It keeps as many columns as fit, by priority, rather than breaking words.
 *
 * @param {readonly TextColumn[]} columns with equal numbers of cells
 * @param {number} width in characters
 * @returns {{lines: string[], dropped: string[]}} dropped: the headings of the columns that did not fit. A line is longer than the width
 *   only if the columns of priority 0 do not fit with their longest words
 */
export function textTable(columns, width) {
  const shown = columnsThatFit(columns.map(measure), width);
  const dropped = columns.filter((column) => shown.every((one) => one.column !== column));
  const heading = shown.map(({column: {heading: text, isText}, width: own}) => pad(text, own, isText));
  const rows = columns[0].cells.flatMap((_, index) => rowLines(shown, index));
  return {
    lines: [heading, ...rows].map((cells) => cells.join(gap).trimEnd()),
    dropped: dropped.map(({heading: text}) => text),
  };
}

/** @typedef {{column: TextColumn, width: number, minWidth: number}} Measured width: what it needs; minWidth: with line breaks */

/** @param {TextColumn} column @returns {Measured} */
function measure(column) {
  const texts = [column.heading, ...column.cells];
  const width = longest(texts);
  return {column, width, minWidth: column.wraps ? longest(texts.flatMap((text) => text.split(' '))) : width};
}

/**
 * @param {readonly Measured[]} columns
 * @param {number} width
 * @returns {Measured[]} in the same order, with the widths that they get
 */
function columnsThatFit(columns, width) {
  const required = columns.filter(({column}) => priorityOf(column) === 0);
  const room = width - widthOf(required.filter(({column}) => !column.wraps)) - gap.length;
  const sized = new Map(required.map((one) => [one.column, {...one, width: narrowed(one, width, room)}]));
  const others = columns
    .filter(({column}) => priorityOf(column) > 0)
    .toSorted((one, other) => priorityOf(one.column) - priorityOf(other.column));
  for (const one of others) {
    if (widthOf([...sized.values(), one]) <= width) sized.set(one.column, one);
  }
  return columns.flatMap(({column}) => sized.get(column) ?? []);
}

/** @param {Measured} one @param {number} width of the table @param {number} room that the other required columns leave */
function narrowed({column, width: own, minWidth}, width, room) {
  if (!column.wraps) return own;
  return Math.min(own, Math.max(minWidth, Math.min(room, Math.floor(width * maxShareOfNames))));
}

/** @param {TextColumn} column */
function priorityOf({priority = 0}) {
  return priority;
}

/** @param {readonly Measured[]} columns */
function widthOf(columns) {
  return columns.reduce((sum, {width}) => sum + width, 0) + gap.length * (columns.length - 1);
}

/**
 * @param {readonly Measured[]} columns
 * @param {number} index of the row
 * @returns {string[][]} a line of padded cells, and more if a cell wraps
 */
function rowLines(columns, index) {
  const cells = columns.map(({column, width}) =>
    column.wraps ? wrapWords(column.cells[index], width) : [column.cells[index]],
  );
  const height = Math.max(...cells.map(({length}) => length));
  return Array.from({length: height}, (_, line) =>
    columns.map(({column, width}, at) => {
      const text = cells[at][line] ?? '';
      const painted = text === '' ? '' : (column.paint?.(text) ?? text);
      return pad(text, width, column.isText).replace(text, () => painted);
    }),
  );
}

/** @param {string} text @param {number} width @param {boolean} [isText] */
function pad(text, width, isText = false) {
  return isText ? text.padEnd(width) : text.padStart(width);
}

/** @param {readonly string[]} texts */
function longest(texts) {
  return Math.max(0, ...texts.map(({length}) => length));
}
