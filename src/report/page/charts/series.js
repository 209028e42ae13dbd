import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/bytes.js';
import {ascending, clamp, groupBy} from '../../../stats/numbers.js';
import {lineChart} from '../../charts/line-chart.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Axis, Chart, Drawing, Lines} from '../../charts/chart.js'
 */

/**
 * Draws a chart for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{table: string, id: string, title: string, note: string}} what table: the table's name; title: without the size and the table
 * @param {(block: readonly CompletedRecord[], title: string) => Drawing | null} make null if there is nothing to show @returns {Chart[]}
 */
export function chartPerSize(records, {table, id, title, note}, make) {
  return [...groupBy(records, ({payloadBytes}) => payloadBytes)].flatMap(([payloadBytes, block]) => {
    const whole = `${title}, ${formatSize(payloadBytes)} (${table})`;
    const drawing = make(block, whole);
    return drawing === null ? [] : [{id: `${table}-${id}-${payloadBytes}`, title: whole, note, ...drawing}];
  });
}

/** A table with more columns does not fit on a screen. */
export const mostOpenColumns = 12;

/**
 * Draws lines, and lists the figures of their named points.
 * @param {Lines} lines @param {(x: number) => string} columnOf heading of the column of a value x @returns {Drawing}
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
    values: {
      what: lines.y.label,
      columns: places.map(columnOf),
      rows,
      isFolded: places.length > mostOpenColumns,
    },
  };
}

/**
 * Gives a transport the same style in all charts of a table. Two cells of a chart have different styles, even with equal names.
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

/** Names a cell with its rate, because only the rate may tell it from others. The name may have the rate already. @param {CompletedRecord} record */
export function nameWithRate({labels, openLoop}) {
  const name = nameOfVariant(labels);
  const rate = `${openLoop?.offeredPerSecond}/s`;
  return openLoop && !labels.settings.includes(rate) ? `${name}, ${rate}` : name;
}

/**
 * Returns the text of a chart's point: the cell, a figure, the verdict and the id of the record.
 * @param {CompletedRecord} record @param {string} figure with its unit
 */
export function cellText({labels, payloadBytes, verdict, id}, figure) {
  return `${nameOfVariant(labels)}, ${formatSize(payloadBytes)}: ${figure}; ${verdict.status}; record ${id}`;
}

/** The frame has room for an interval that is at most this many times as wide as its figure. */
const maxReach = 3;

/**
 * The values that an axis has room for: the figures and their intervals, but of a very wide interval a part.
 * @param {readonly {y: number, interval?: readonly number[] | null}[]} points
 */
export function reachOf(points) {
  return points.flatMap(({y, interval}) => [
    y,
    ...(interval ?? []).map((end) => clamp(end, y / maxReach, y * maxReach)),
  ]);
}

/** @param {readonly {interval?: readonly number[] | null}[]} points @param {Axis} y @returns {string[]} a note, if the frame of the chart cuts intervals */
export function cutNote(points, y) {
  const isCut = points.some(({interval}) =>
    interval?.some((end) => y.toShare(end) < 0 || y.toShare(end) > 1),
  );
  return isCut ? ['A line that ends at the frame is longer.'] : [];
}

/** Formats the mark of an axis, such as 0.05 or 20. @param {number} value */
export function formatMark(value) {
  return String(Number(value.toPrecision(3)));
}
