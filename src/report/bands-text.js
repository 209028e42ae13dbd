import {nameOfCell} from '../columns/name-of-cell.js';
import {formatTime} from '../columns/time-units.js';
import {bandsOf} from '../stats/bands.js';
import {mergeUsed} from './used-histogram.js';

/**
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Histogram} from '../stats/histogram.js'
 */

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
        `${nameOfCell(record)}, ${record.workload}\n${linesOf(histogram).join('\n')}\n`,
    )
    .join('\n');
}

/** @param {Histogram} histogram */
function linesOf(histogram) {
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
