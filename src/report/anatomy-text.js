import {formatShortMs} from '../columns/figures.js';
import {nameOfVariant} from '../columns/names.js';
import {formatSize} from '../payload/bytes.js';
import {groupBy} from '../stats/numbers.js';

/** @import {CellRecord, CompletedRecord} from '../results/record-schema.js' */

const barLength = 30;
const marks = {request: '█', handler: '▒', reply: '░', broker: '╳'};
/** A longer name stands above its bar. */
const maxNameLength = 30;

/**
 * @typedef {NonNullable<CompletedRecord['anatomy']>} Anatomy
 * @typedef {Anatomy['request']} WayMean
 * @typedef {WayMean & {mark: string}} Part
 */

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
  const isBrokerSeen = cells.some(({anatomy}) => anatomy?.hops);
  const legend = `What the mean consists of, in ms: ${marks.request} to the server's handler, ${marks.handler} in it, ${marks.reply} back`;
  return [
    isBrokerSeen ? `${legend}, ${marks.broker} in the broker` : legend,
    ...blocks.flatMap(([payloadBytes, block]) => [`${formatSize(payloadBytes)}:`, ...linesOf(block)]),
    ...noHopsIn(cells),
    '',
  ].join('\n');
}

/** @param {readonly CompletedRecord[]} cells of one payload size */
function linesOf(cells) {
  const parts = cells.map(({anatomy}) => partsOf(/** @type {Anatomy} */ (anatomy)));
  const longest = Math.max(...parts.map((means) => means.reduce((sum, one) => sum + one.meanMs, 0)));
  const names = cells.map(({labels}) => nameOfVariant(labels));
  const width = Math.max(...names.map((name) => (name.length > maxNameLength ? 0 : name.length)));
  return parts.flatMap((means, index) => {
    const {request, handler, reply, hops} = /** @type {Anatomy} */ (cells[index].anatomy);
    const bar = barOf(means, longest).padEnd(barLength);
    const name = names[index];
    const isAbove = name.length > width;
    const line = `  ${(isAbove ? '' : name).padEnd(width)}  ${bar}  ${sumOf([request, handler, reply])}${boundText(cells[index])}`;
    const lines = isAbove ? [`  ${name}`, line] : [line];
    if (!hops) return lines;
    const inBroker = sumOf([hops.request.broker, hops.reply.broker]);
    return [...lines, `${' '.repeat(width + barLength + 6)}in the broker: ${inBroker}`];
  });
}

/** @param {readonly WayMean[]} means */
function sumOf(means) {
  return means.map(({meanMs, ci95Ms}) => formatShortMs(meanMs, ci95Ms)).join(' + ');
}

/** @param {Anatomy} anatomy @returns {Part[]} in the order in which they come */
function partsOf({request, handler, reply, hops}) {
  const ways = /** @type {const} */ (['request', 'reply']).map((name) => {
    const mark = marks[name];
    if (!hops) return [{...(name === 'request' ? request : reply), mark}];
    const {before, broker, after} = hops[name];
    return [
      {...before, mark},
      {...broker, mark: marks.broker},
      {...after, mark},
    ];
  });
  return [...ways[0], {...handler, mark: marks.handler}, ...ways[1]];
}

/** @param {readonly Part[]} parts @param {number} longest in ms */
function barOf(parts, longest) {
  let sum = 0;
  return parts
    .map(({meanMs, mark}) => {
      const from = Math.round((sum / longest) * barLength);
      sum += Math.max(0, meanMs);
      return mark.repeat(Math.max(0, Math.round((sum / longest) * barLength) - from));
    })
    .join('');
}

/** Between hosts, what the first part has too much the last one has too little. @param {CompletedRecord} record */
function boundText({anatomy}) {
  const boundMs = anatomy?.clockBoundMs ?? 0;
  return boundMs > 0 ? ` (clocks: ± ${formatShortMs(boundMs)})` : '';
}

/** Why the ways are not divided at the broker. @param {readonly CompletedRecord[]} cells */
function noHopsIn(cells) {
  const reasons = new Set(cells.flatMap(({anatomy}) => anatomy?.noHops ?? []));
  return [...reasons].map((reason) => `What the broker takes is not shown: ${reason}.`);
}
