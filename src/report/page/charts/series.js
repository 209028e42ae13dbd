import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/format-bytes.js';

/** @import {CompletedRecord} from '../../../results/record-schema.js' */

/**
 * Records by what they have in common, in the order in which they come.
 * @template Record
 * @param {readonly Record[]} records
 * @param {(record: Record) => string | number} keyOf
 * @returns {Record[][]}
 */
export function groupBy(records, keyOf) {
  /** @type {Map<string | number, Record[]>} */
  const groups = new Map();
  for (const record of records) {
    const key = keyOf(record);
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()];
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
