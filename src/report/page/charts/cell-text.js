import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/format-bytes.js';

/** @import {CompletedRecord} from '../../../results/record-schema.js' */

/**
 * What a point of a chart says: the cell, a figure, the verdict and the record that it comes from.
 * @param {CompletedRecord} record
 * @param {string} figure with its unit
 */
export function cellText({labels, payloadBytes, verdict, id}, figure) {
  return `${nameOfVariant(labels)}, ${formatSize(payloadBytes)}: ${figure}; ${verdict.status}; record ${id}`;
}

/** The mark of an axis: 0.05, 20. @param {number} value */
export function formatMark(value) {
  return String(Number(value.toPrecision(3)));
}
