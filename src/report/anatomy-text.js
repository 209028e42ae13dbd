import {formatShortMs} from '../columns/figures.js';
import {nameOfVariant} from '../columns/names.js';
import {formatSize} from '../payload/format-bytes.js';
import {groupBy} from '../stats/group-by.js';

/** @import {CellRecord, CompletedRecord} from '../results/record-schema.js' */

const barLength = 30;
/** The way to the server's handler, the handler, and the way back. */
const marks = ['█', '▒', '░'];
const maxNameLength = 30;

/**
 * What the mean round trips consist of: a bar for each cell that was measured with --anatomy.
 * @param {readonly CellRecord[]} records
 * @returns {string} lines; empty if there is none
 */
export function anatomyText(records) {
  const some = records.filter((record) => record.outcome === 'completed' && record.anatomy);
  if (some.length === 0) return '';
  const cells = /** @type {CompletedRecord[]} */ (some);
  const blocks = [...groupBy(cells, ({payloadBytes}) => payloadBytes)];
  return [
    `What the mean consists of, in ms: ${marks[0]} to the server's handler, ${marks[1]} in it, ${marks[2]} back`,
    ...blocks.flatMap(([payloadBytes, block]) => [`${formatSize(payloadBytes)}:`, ...linesOf(block)]),
    '',
  ].join('\n');
}

/** @param {readonly CompletedRecord[]} cells of one payload size */
function linesOf(cells) {
  const parts = cells.map(partsOf);
  const longest = Math.max(...parts.map((means) => means.reduce((sum, one) => sum + one.meanMs, 0)));
  const names = cells.map(({labels}) => nameOfVariant(labels).slice(0, maxNameLength));
  const width = Math.max(...names.map((name) => name.length));
  return parts.map((means, index) => {
    const figures = means.map(({meanMs, ci95Ms}) => formatShortMs(meanMs, ci95Ms)).join(' + ');
    const bar = barOf(
      means.map(({meanMs}) => meanMs),
      longest,
    );
    return `  ${names[index].padEnd(width)}  ${bar.padEnd(barLength)}  ${figures}${boundText(cells[index])}`;
  });
}

/** @param {CompletedRecord} record */
function partsOf({anatomy}) {
  const {request, handler, reply} = /** @type {NonNullable<CompletedRecord['anatomy']>} */ (anatomy);
  return [request, handler, reply];
}

/** @param {readonly number[]} parts in ms @param {number} longest in ms */
function barOf(parts, longest) {
  let sum = 0;
  return parts
    .map((part, index) => {
      const from = Math.round((sum / longest) * barLength);
      sum += Math.max(0, part);
      return marks[index].repeat(Math.max(0, Math.round((sum / longest) * barLength) - from));
    })
    .join('');
}

/** Between hosts, what the first part has too much the last one has too little. @param {CompletedRecord} record */
function boundText({anatomy}) {
  const boundMs = anatomy?.clockBoundMs ?? 0;
  return boundMs > 0 ? ` (clocks: ± ${formatShortMs(boundMs)})` : '';
}
