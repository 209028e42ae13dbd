import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/format-bytes.js';
import {groupBy} from '../../../stats/group-by.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './chart.js'
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
