import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/bytes.js';
import {groupBy} from '../../../stats/numbers.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 *
 * @typedef {object} Chart
 * @property {string} id for links and file names
 * @property {string} title
 * @property {string} note what it shows and what it does not
 * @property {string} svg
 */

/**
 * A chart for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{table: string, id: string, title: string, note: string}} what table: its name; title: without the size and the table
 * @param {(block: readonly CompletedRecord[], title: string) => string | null} draw null if there is nothing to show
 * @returns {Chart[]}
 */
export function chartPerSize(records, {table, id, title, note}, draw) {
  return [...groupBy(records, ({payloadBytes}) => payloadBytes)].flatMap(([payloadBytes, block]) => {
    const whole = `${title}, ${formatSize(payloadBytes)} (${table})`;
    const svg = draw(block, whole);
    return svg === null ? [] : [{id: `${table}-${id}-${payloadBytes}`, title: whole, note, svg}];
  });
}

/** The sizes of an axis. @param {readonly CompletedRecord[]} records */
export function sizesOf(records) {
  return [...new Set(records.map(({payloadBytes}) => payloadBytes))]
    .sort((one, other) => one - other)
    .map((value) => ({value, label: formatSize(value)}));
}

/**
 * The same transport has the same colour in all charts of a table.
 * @param {readonly CompletedRecord[]} records of the table
 * @param {(record: CompletedRecord) => string} [nameOf]
 * @returns {(record: CompletedRecord) => number}
 */
export function styles(records, nameOf = ({labels}) => nameOfVariant(labels)) {
  const names = [...new Set(records.map(nameOf))];
  return (record) => names.indexOf(nameOf(record));
}

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
