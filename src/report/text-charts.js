import {formatShortMs, formatTime} from '../columns/figures.js';
import {nameOfCell, nameOfVariant} from '../columns/names.js';
import {formatSize} from '../payload/bytes.js';
import {mergeUsed} from '../results/comparable.js';
import {groupBy} from '../stats/numbers.js';
import {bandsOf, binsOf} from '../stats/summary.js';

/**
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Histogram} from '../stats/histogram.js'
 */

const barLength = 30;
const marks = {request: '█', handler: '▒', reply: '░', broker: '╳'};
/** A longer name is above its bar. */
const maxNameLength = 30;

/**
 * @typedef {NonNullable<CompletedRecord['anatomy']>} Anatomy
 * @typedef {Anatomy['request']} WayMean
 * @typedef {WayMean & {mark: string}} Part
 * @typedef {Pick<CompletedRecord, 'labels'> & {anatomy: Anatomy}} CellWithAnatomy
 */

/**
 * Draws a bar with the parts of the mean round trip for each cell that was measured with --anatomy.
 * @param {readonly CellRecord[]} records @returns {string} lines; empty if there is no such cell
 */
export function anatomyText(records) {
  const cells = records.flatMap((record) =>
    record.outcome === 'completed' && record.anatomy ? {...record, anatomy: record.anatomy} : [],
  );
  if (cells.length === 0) return '';
  const blocks = [...groupBy(cells, ({payloadBytes}) => payloadBytes)];
  const isBrokerSeen = cells.some(({anatomy}) => anatomy.hops);
  const legend = `What the mean consists of, in ms: ${marks.request} to the server's handler, ${marks.handler} in it, ${marks.reply} back`;
  return [
    isBrokerSeen ? `${legend}, ${marks.broker} in the broker` : legend,
    ...blocks.flatMap(([payloadBytes, block]) => [`${formatSize(payloadBytes)}:`, ...linesOf(block)]),
    ...noHopsIn(cells),
    '',
  ].join('\n');
}

/** @param {readonly CellWithAnatomy[]} cells of one payload size */
function linesOf(cells) {
  const parts = cells.map(({anatomy}) => partsOf(anatomy));
  const longest = Math.max(...parts.map((means) => means.reduce((sum, one) => sum + one.meanMs, 0)));
  const names = cells.map(({labels}) => nameOfVariant(labels));
  const width = Math.max(...names.map((name) => (name.length > maxNameLength ? 0 : name.length)));
  return parts.flatMap((means, index) => {
    const {request, handler, reply, hops, clockBoundMs} = cells[index].anatomy;
    // Between hosts, an error of the clocks moves time from one direction to the other.
    const bound = clockBoundMs > 0 ? ` (clocks: ± ${formatShortMs(clockBoundMs)})` : '';
    const bar = barOf(means, longest).padEnd(barLength);
    const name = names[index];
    const isAbove = name.length > width;
    const line = `  ${(isAbove ? '' : name).padEnd(width)}  ${bar}  ${sumOf([request, handler, reply])}${bound}`;
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

/** @param {Anatomy} anatomy @returns {Part[]} in the order of time */
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

/** Says why the directions are not divided at the broker. @param {readonly CellWithAnatomy[]} cells */
function noHopsIn(cells) {
  const reasons = new Set(cells.flatMap(({anatomy}) => anatomy.noHops ?? []));
  return [...reasons].map((reason) => `What the broker takes is not shown: ${reason}.`);
}

/** Width of the fullest bin, in characters. */
const barWidth = 40;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Draws a histogram of each cell over all trials that count: the share of the messages in each bin of times.
 * @param {readonly CellRecord[]} records
 */
export function histogramText(records) {
  return textPerCell(records, (name, histogram) => [
    `${name}: ${histogram.count} messages`,
    ...binLines(binsOf(histogram), histogram.count),
  ]);
}

/**
 * Lists the percentile bands of each cell: mean and maximum of its fastest 75 to 99.999 per cent of messages, over all trials that count.
 * @param {readonly CellRecord[]} records
 */
export function bandsText(records) {
  return textPerCell(records, (name, histogram) => [name, ...bandLines(histogram)]);
}

/**
 * @param {readonly CellRecord[]} records incomplete records, and records without latencies, are left out
 * @param {(name: string, histogram: Histogram) => string[]} linesOf a cell
 * @returns {string} a block of lines per cell, separated by empty lines; empty if no cell has latencies
 */
function textPerCell(records, linesOf) {
  return records
    .filter((record) => record.outcome === 'completed')
    .map((record) => ({record, histogram: mergeUsed(record.trials)}))
    .filter(({histogram}) => histogram.count > 0)
    .map(
      ({record, histogram}) =>
        `${linesOf(`${nameOfCell(record)}, ${record.workload}`, histogram).join('\n')}\n`,
    )
    .join('\n');
}

/** @param {ReturnType<typeof binsOf>} bins @param {number} total */
function binLines(bins, total) {
  const fullest = Math.max(...bins.map(({count}) => count));
  const rows = bins.map(({fromNs, count}) => [
    `from ${formatTime(fromNs).replace(/\.?0+(?= )/, '')}`,
    formatShare(count / total),
    binBar(count / fullest),
  ]);
  const [nameWidth, shareWidth] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map(([name, share, bar]) =>
    `  ${name.padStart(nameWidth)}  ${share.padStart(shareWidth)}  ${bar}`.trimEnd(),
  );
}

/** Formats a share with at least two significant digits; 0 is empty, and only a full share is 100 %. @param {number} share */
function formatShare(share) {
  if (share === 0) return '';
  const percent = share < 1 ? Math.min(99.9, share * 100) : 100;
  return `${percent >= 10 ? percent.toFixed(1) : String(Number(percent.toPrecision(2)))} %`;
}

/** @param {number} share of the fullest bin; even a single message is visible */
function binBar(share) {
  const parts = share === 0 ? 0 : Math.max(1, Math.round(share * barWidth * 8));
  return '█'.repeat(Math.floor(parts / 8)) + eighths[parts % 8];
}

/** @param {Histogram} histogram */
function bandLines(histogram) {
  const rows = [
    ['messages', String(histogram.count)],
    ['avg', formatTime(histogram.mean)],
    ['min', formatTime(histogram.minimum)],
    ['max', formatTime(histogram.maximum)],
    ...bandsOf(histogram).map(({percent, meanNs, maxNs}) => [
      `fastest ${percent} %`,
      `avg ${formatTime(meanNs)}, max ${formatTime(maxNs)}`,
    ]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, figures]) => `  ${name.padEnd(width)}  ${figures}`);
}
