import {nameOfVariant} from '../../columns/names.js';
import {formatSize} from '../../payload/format-bytes.js';
import {joinIndented, wrapIndented} from '../wrap-words.js';
import {detailFigures} from './detail-columns.js';
import {standingOf} from './standings.js';

/** @import {CompletedRecord} from '../../results/record-schema.js' */

/**
 * All figures of each cell, and what is wrong with it, for `--detail`. The notes below the table have the advice.
 *
 * @param {readonly CompletedRecord[]} records
 * @param {string} floor the transport that the others are compared with
 * @param {number} width in characters
 * @returns {string[]} lines: for each cell an empty one, its name, its figures, its warnings
 */
export function cellDetails(records, floor, width) {
  return records.flatMap((record) => [
    '',
    ...wrapIndented(
      `${nameOfVariant(record.labels)}, ${formatSize(record.payloadBytes)}, ${record.workload}: ${record.verdict.status}`,
      width,
    ),
    ...figureLines(record, floor, width),
    ...record.verdict.warnings.flatMap(({code, message}) => wrapIndented(`${code}: ${message}`, width, 2)),
  ]);
}

/** @param {CompletedRecord} record @param {string} floor @param {number} width */
function figureLines(record, floor, width) {
  const standing = record.transport === floor ? 'floor' : standingOf(record);
  const figures = detailFigures([record]).map(({heading, cell}) => `${heading} ${cell(record, standing)}`);
  const parts = figures.map((text, index) => (index < figures.length - 1 ? `${text};` : text));
  return joinIndented(parts, width, 2);
}
