import {formatTime} from '../columns/digits.js';
import {nameOfCell} from '../columns/names.js';
import {mergeUsed} from '../results/comparable.js';
import {bandsOf, binsOf} from '../stats/summary.js';

/**
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Histogram} from '../stats/histogram.js'
 */

/** Of the fullest bin, in characters. */
const barWidth = 40;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * A histogram of each cell over all trials that count: the share of its messages from each time on, up to the next. Cells that did not
 * complete, or that have no latencies, are left out.
 *
 * @param {readonly CellRecord[]} records
 * @returns {string} a block of lines per cell, separated by empty lines; empty if no cell has latencies
 */
export function histogramText(records) {
  return records
    .filter((record) => record.outcome === 'completed')
    .map((record) => ({record, histogram: mergeUsed(record.trials)}))
    .filter(({histogram}) => histogram.count > 0)
    .map(({record, histogram}) => {
      const title = `${nameOfCell(record)}, ${record.workload}: ${histogram.count} messages`;
      return `${[title, ...binLines(binsOf(histogram), histogram.count)].join('\n')}\n`;
    })
    .join('\n');
}

/** @param {ReturnType<typeof binsOf>} bins @param {number} total */
function binLines(bins, total) {
  const fullest = Math.max(...bins.map(({count}) => count));
  const rows = bins.map(({fromNs, count}) => [
    `from ${formatTime(fromNs).replace(/\.?0+(?= )/, '')}`,
    formatShare(count / total),
    barOf(count / fullest),
  ]);
  const [nameWidth, shareWidth] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map(([name, share, bar]) =>
    `  ${name.padStart(nameWidth)}  ${share.padStart(shareWidth)}  ${bar}`.trimEnd(),
  );
}

/** With two significant digits at least, nothing for none, and 100 % only for all. @param {number} share */
function formatShare(share) {
  if (share === 0) return '';
  const percent = share < 1 ? Math.min(99.9, share * 100) : 100;
  return `${percent >= 10 ? percent.toFixed(1) : String(Number(percent.toPrecision(2)))} %`;
}

/** @param {number} share of the fullest bin; a bin with a single message shows */
function barOf(share) {
  const parts = share === 0 ? 0 : Math.max(1, Math.round(share * barWidth * 8));
  return '█'.repeat(Math.floor(parts / 8)) + eighths[parts % 8];
}

/**
 * The percentile bands of each cell: mean and maximum of its fastest 75 to 99.999 per cent of messages, over all trials that count. Cells
 * that did not complete, or that have no latencies, are left out.
 *
 * @param {readonly CellRecord[]} records
 * @returns {string} a block of lines per cell, separated by empty lines; empty if no cell has latencies
 */
export function bandsText(records) {
  return records
    .filter((record) => record.outcome === 'completed')
    .map((record) => ({record, histogram: mergeUsed(record.trials)}))
    .filter(({histogram}) => histogram.count > 0)
    .map(
      ({record, histogram}) =>
        `${nameOfCell(record)}, ${record.workload}\n${bandLines(histogram).join('\n')}\n`,
    )
    .join('\n');
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
