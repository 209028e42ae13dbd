import {nameOfVariant} from '../columns/names.js';
import {formatTime} from '../columns/time-units.js';
import {formatBytes} from '../payload/format-bytes.js';
import {bandsOf} from '../stats/bands.js';
import {mergeUsed} from './used-histogram.js';

/**
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 * @import {Histogram} from '../stats/histogram.js'
 */

/**
 * For each cell how its fastest 75 to 99.999 per cent of messages fared, below its mean, minimum and maximum: over all
 * trials that count together. Cells that did not complete, or that timed no single message, are left out.
 *
 * @param {readonly CellRecord[]} records
 * @returns {string} a block of lines a cell, with empty lines between them; empty when no cell has latencies
 */
export function bandsText(records) {
  return records
    .filter((record) => record.outcome === 'completed')
    .map((record) => ({record, histogram: mergeUsed(record.trials)}))
    .filter(({histogram}) => histogram.count > 0)
    .map(({record, histogram}) => `${nameOf(record)}\n${linesOf(histogram).join('\n')}\n`)
    .join('\n');
}

/** @param {CompletedRecord} record */
function nameOf({labels, payloadBytes, workload}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}, ${workload}`;
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
