import Table from 'cli-table3';
import {highest} from '../../stats/numbers.js';
import {columnsOf} from '../../text/lines.js';

/** @import {TextColumn} from '../types.js' */

/** The share of the table's width above which the text of a wrapping column wraps. */
const maxShareOfNames = 0.4;
/** The share that a wrapping column keeps if it is narrowed to make room for columns that readers want first. */
const minShareOfNames = 0.2;
const maxWantedPriority = 4;
const gap = '  ';

/**
 * Lays out a table in a width. The table keeps as many columns as fit, by priority, and does not break words.
 * @param {readonly TextColumn[]} columns with equal numbers of cells @param {number} width in characters
 * @returns {{lines: string[], dropped: string[]}} dropped: the headings of the columns that did not fit. A line is longer than the width only if the
 *   columns of priority 0 do not fit with their longest words
 */
export function textTable(columns, width) {
  const shown = columnsThatFit(
    columns.map((column) => measure(column)),
    width,
  );
  const dropped = columns.filter((column) => shown.every((one) => one.column !== column));
  return {
    lines: draw(shown),
    dropped: dropped.map(({heading: text}) => text),
  };
}

/** Names the columns that `textTable` dropped. @param {readonly string[]} dropped @param {number} width @param {string} [where] to find them */
export function droppedNote(dropped, width, where = '') {
  return dropped.length === 0
    ? []
    : [`Columns that do not fit in ${width} characters${where}: ${dropped.join(', ')}`];
}

/**
 * @typedef {{column: TextColumn, cells: readonly string[], width: number, minWidth: number}} Measured cells: to show; width: without line breaks, in
 *   characters; minWidth: with line breaks, in characters
 */

/** @param {TextColumn} column @param {readonly string[]} [cells] @returns {Measured} */
function measure(column, cells = column.cells) {
  const texts = [column.heading, ...cells];
  const width = longest(texts);
  const minWidth = column.wraps ? longest(texts.flatMap(unbreakable)) : width;
  return {column, cells, width, minWidth};
}

/** The parts of a text between which a line may end: after a blank, and after a slash of an address. @param {string} text */
function partsOf(text) {
  return text.split(/(?<=[ /])/);
}

/** @param {string} text */
function unbreakable(text) {
  return partsOf(text).map((part) => part.trimEnd());
}

/** @param {string} text @param {number} width @returns {string} lines of at most this width, if no part is longer */
function wrapped(text, width) {
  const lines = [''];
  for (const part of partsOf(text)) {
    const last = lines[lines.length - 1];
    if (last !== '' && columnsOf(`${last}${part}`.trimEnd()) > width) lines.push(part);
    else lines[lines.length - 1] = `${last}${part}`;
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** @param {readonly Measured[]} columns @param {number} width @returns {Measured[]} in the same order, with their final widths */
function columnsThatFit(columns, width) {
  const required = columns.filter(({column}) => priorityOf(column) === 0);
  const room = width - widthOf(required.filter(({column}) => !column.wraps)) - gap.length;
  const sized = new Map(required.map((one) => [one.column, {...one, width: narrowed(one, width, room)}]));
  const others = columns
    .filter(({column}) => priorityOf(column) > 0)
    .toSorted((one, other) => priorityOf(one.column) - priorityOf(other.column));
  for (const one of others) {
    const found = formsOf(one).find((form) => makeRoom(sized, form, width));
    if (found) sized.set(one.column, found);
  }
  return columns.flatMap(({column}) => sized.get(column) ?? []);
}

/** @param {Measured} one @returns {Measured[]} the widest first */
function formsOf(one) {
  const {brief} = one.column;
  return brief === undefined || priorityOf(one.column) > maxWantedPriority
    ? [one]
    : [one, measure(one.column, brief)];
}

/**
 * Makes room for another column if possible. A column with a low priority number may narrow the columns that wrap, but only in its briefest
 * form.
 * @param {Map<TextColumn, Measured>} sized @param {Measured} added @param {number} width of the table
 */
function makeRoom(sized, added, width) {
  const lacking = widthOf([...sized.values(), added]) - width;
  if (lacking <= 0) return true;
  const {brief = added.cells} = added.column;
  if (brief !== added.cells || priorityOf(added.column) > maxWantedPriority) return false;
  const wrapping = [...sized].filter(([column]) => column.wraps).map(([, one]) => one);
  const spare = (/** @type {Measured} */ one) =>
    Math.max(
      0,
      one.width - Math.max(one.minWidth, one.column.leastWidth ?? Math.floor(width * minShareOfNames)),
    );
  if (wrapping.reduce((sum, one) => sum + spare(one), 0) < lacking) return false;
  let left = lacking;
  for (const one of wrapping) {
    const less = Math.min(left, spare(one));
    sized.set(one.column, {...one, width: one.width - less});
    left -= less;
  }
  return true;
}

/** @param {Measured} one @param {number} width of the table @param {number} room left by the other required columns */
function narrowed({column, width: own, minWidth}, width, room) {
  if (!column.wraps) return own;
  const {maxWidth = own} = column;
  const most = Math.min(room, maxWidth, Math.floor(width * maxShareOfNames));
  return Math.min(own, Math.max(minWidth, most));
}

/** @param {TextColumn} column */
function priorityOf({priority = 0}) {
  return priority;
}

/** @param {readonly Measured[]} columns */
function widthOf(columns) {
  return columns.reduce((sum, {width}) => sum + width, 0) + gap.length * (columns.length - 1);
}

const noBorders = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, '']),
);

/** @param {readonly Measured[]} columns */
function draw(columns) {
  const table = new Table({
    head: columns.map(({column: {heading}}) => heading),
    chars: noBorders,
    style: {head: [], border: [], 'padding-left': 0, 'padding-right': gap.length, compact: true},
    colWidths: columns.map(({width}) => width + gap.length),
    colAligns: columns.map(({column: {isText}}) => (isText ? 'left' : 'right')),
    wordWrap: true,
  });
  for (const index of columns[0].cells.keys())
    table.push(
      columns.map(({cells, width, column: {paint, wraps}}) =>
        painted(wraps ? wrapped(cells[index], width) : cells[index], paint),
      ),
    );
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** An empty cell gets no colours. @param {string} text @param {TextColumn['paint']} paint */
function painted(text, paint) {
  return text === '' ? '' : (paint?.(text) ?? text);
}

/** @param {readonly string[]} texts */
function longest(texts) {
  return highest(texts.map((text) => columnsOf(text)));
}
