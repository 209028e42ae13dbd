import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/bytes.js';
import {ascending, groupBy} from '../../../stats/numbers.js';
import {lineChart} from '../../charts/line-chart.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart, Drawing, Lines} from '../../charts/chart.js'
 */

/**
 * A chart for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{table: string, id: string, title: string, note: string}} what table: its name; title: without the size and the table
 * @param {(block: readonly CompletedRecord[], title: string) => Drawing | null} make null if there is nothing to show
 * @returns {Chart[]}
 */
export function chartPerSize(records, {table, id, title, note}, make) {
  return [...groupBy(records, ({payloadBytes}) => payloadBytes)].flatMap(([payloadBytes, block]) => {
    const whole = `${title}, ${formatSize(payloadBytes)} (${table})`;
    const drawing = make(block, whole);
    return drawing === null ? [] : [{id: `${table}-${id}-${payloadBytes}`, title: whole, note, ...drawing}];
  });
}

/**
 * Lines, with the figures of their named points.
 * @param {Lines} lines @param {(x: number) => string} columnOf heads the column of a place on the axis
 * @returns {Drawing}
 */
export function linesDrawing(lines, columnOf) {
  const named = lines.series.flatMap(({points}) => points.filter(({value}) => value !== undefined));
  const places = ascending(named.map(({x}) => x));
  const rows = lines.series.map(({name, points}) => ({
    name,
    cells: places.map(
      (place) => points.find(({x, value}) => x === place && value !== undefined)?.value ?? '',
    ),
  }));
  return {
    draw: (layout) => lineChart(lines, layout),
    values: {what: lines.y.label, columns: places.map(columnOf), rows},
  };
}

/**
 * The same transport has the same style in all charts of a table, and no two cells of a chart have the same, even if their names are equal.
 * @param {readonly CompletedRecord[]} records of the table
 * @param {(record: CompletedRecord) => string} nameOf @returns {(record: CompletedRecord) => number}
 */
export function styles(records, nameOf) {
  const alike = groupBy(records, (record) => JSON.stringify([nameOf(record), record.payloadBytes]));
  const nth = new Map([...alike.values()].flatMap((cells) => cells.map((record, index) => [record, index])));
  const keyOf = (/** @type {CompletedRecord} */ record) => `${nth.get(record)} ${nameOf(record)}`;
  const firstOnes = records.toSorted((one, other) => (nth.get(one) ?? 0) - (nth.get(other) ?? 0));
  const keys = [...new Set(firstOnes.map(keyOf))];
  return (record) => keys.indexOf(keyOf(record));
}

/** What a cell is called where its rate tells it from others. @param {CompletedRecord} record */
export function nameWithRate({labels, openLoop}) {
  const name = nameOfVariant(labels);
  return openLoop ? `${name}, ${openLoop.offeredPerSecond}/s` : name;
}

/**
 * What a point of a chart says: the cell, a figure, the verdict and the record that it comes from.
 * @param {CompletedRecord} record @param {string} figure with its unit
 */
export function cellText({labels, payloadBytes, verdict, id}, figure) {
  return `${nameOfVariant(labels)}, ${formatSize(payloadBytes)}: ${figure}; ${verdict.status}; record ${id}`;
}

/** The mark of an axis: 0.05, 20. @param {number} value */
export function formatMark(value) {
  return String(Number(value.toPrecision(3)));
}
