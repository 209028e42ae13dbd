import {availableParallelism, cpus} from 'node:os';
import {median} from 'simple-statistics';

/**
 * One line of the table.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {{sign: '<=' | '<' | '>=', limit: number} | null} bound null: only for information
 * @property {{median: number, low: number, high: number}} estimate with its 95 % interval
 * @property {string} unit of bound and estimate; '' for a ratio
 * @property {{one: readonly number[], other: readonly number[], unit: string} | null} sides the compared figures, by pair
 */

const widths = [38, 8, 7, 16, 17, 3, 13];

/**
 * A bound does not hold when the whole interval is on its wrong side.
 * @param {Row} row
 */
export function holds({bound, estimate}) {
  if (bound === null) return true;
  if (bound.sign === '>=') return estimate.high >= bound.limit;
  return bound.sign === '<=' ? estimate.low <= bound.limit : estimate.low < bound.limit;
}

/** @param {number} pairs */
export function formatHead(pairs) {
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores`;
  const when = new Date().toISOString().slice(0, 10);
  const head = `${machine}, Node.js ${process.version}, ${when}; medians of ${pairs} pairs`;
  return `${head}\n\n${joinCells(['', 'bound', 'median', '95 % interval', 'medians of sides'])}`;
}

/** @param {Row} row */
export function formatRow(row) {
  const {what, bound, estimate, unit, sides} = row;
  const verdict = holds(row) ? 'holds' : 'DOES NOT HOLD';
  return joinCells([
    `    ${what}`,
    bound ? `${bound.sign} ${bound.limit} ${unit}`.trimEnd() : '',
    formatFigure(estimate.median),
    `${formatFigure(estimate.low)} to ${formatFigure(estimate.high)}`,
    sides ? `${formatFigure(median([...sides.one]))} / ${formatFigure(median([...sides.other]))}` : '',
    `${sides ? sides.unit : unit}`,
    bound ? verdict : '',
  ]);
}

/** @param {number} ms */
export function formatDuration(ms) {
  const seconds = Math.round(ms / 1000);
  return `\nDuration: ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** @param {readonly string[]} cells */
function joinCells(cells) {
  return cells
    .map((cell, column) => cell.padEnd(widths[column]))
    .join(' ')
    .trimEnd();
}

/** About four significant digits, without an exponent. @param {number} figure */
function formatFigure(figure) {
  if (Math.abs(figure) >= 1000) return figure.toFixed(0);
  return figure.toFixed(Math.abs(figure) >= 100 ? 1 : Math.abs(figure) >= 10 ? 2 : 3);
}
