import {availableParallelism, cpus} from 'node:os';
import {median} from 'simple-statistics';

/** @import {Row} from './part.js' */

const widths = [38, 12, 7, 16, 3, 17, 3, 12];

/**
 * A bound holds when the whole interval is within it, and fails when the whole interval is beyond it. A row with an explanation cannot fail: its
 * bound holds, or is explained.
 * @param {Pick<Row, 'bound' | 'estimate' | 'explanation'>} row
 * @returns {'holds' | 'fails' | 'explained' | 'inconclusive' | null} null without a bound
 */
export function outcomeOf({bound, explanation, estimate: {ci95}}) {
  if (bound === null) return null;
  if (ci95 === null) return 'inconclusive';
  const [low, high] = ci95;
  const {min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY} = bound;
  if (low >= min && high <= max) return 'holds';
  if (explanation !== undefined) return 'explained';
  return high < min || low > max ? 'fails' : 'inconclusive';
}

/** @param {boolean} arePolling whether idle cores poll */
export function formatHead(arePolling) {
  const state = arePolling ? 'idle cores poll' : 'idle cores sleep';
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, ${state}`;
  const when = new Date().toISOString().slice(0, 10);
  const titles = joinCells(['', 'bound', 'figure', '95 % interval', 'n', 'medians of sides']);
  return `${machine}, Node.js ${process.version}, ${when}\n\n${titles}`;
}

/** @param {Row} row @returns {string} a line, and a second one with the explanation of a bound that does not hold */
export function formatRow(row) {
  const {what, bound, estimate, unit, sides, explanation} = row;
  const outcome = outcomeOf(row) ?? '';
  const line = joinCells([
    `    ${what}`,
    bound ? `${formatBound(bound)} ${unit}`.trimEnd() : '',
    formatFigure(estimate.value),
    estimate.ci95 ? estimate.ci95.map(formatFigure).join(' to ') : 'too few',
    String(estimate.count),
    sides ? `${formatFigure(median([...sides.one]))} / ${formatFigure(median([...sides.other]))}` : '',
    `${sides ? sides.unit : unit}`,
    outcome,
  ]);
  return outcome === 'explained' ? `${line}\n      ${explanation}` : line;
}

/** @param {number} ms */
export function formatDuration(ms) {
  const seconds = Math.round(ms / 1000);
  return `\nDuration: ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** @param {{min?: number, max?: number}} bound */
function formatBound({min, max}) {
  if (min === undefined) return `<= ${max}`;
  return max === undefined ? `>= ${min}` : `${min} to ${max}`;
}

/** @param {readonly string[]} cells */
function joinCells(cells) {
  return cells
    .map((cell, column) => cell.padEnd(widths[column]))
    .join(' ')
    .trimEnd();
}

/** Formats a number with about four significant digits, without an exponent. @param {number} figure */
function formatFigure(figure) {
  if (Math.abs(figure) >= 1000) return figure.toFixed(0);
  return figure.toFixed(Math.abs(figure) >= 100 ? 1 : Math.abs(figure) >= 10 ? 2 : 3);
}
