import {formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {usedHistograms} from '../../../results/comparable.js';
import {Mixture} from '../../../stats/trial-summary.js';
import {logAxis, markedLogAxis} from '../../charts/axis.js';
import {cellText, chartPerSize, formatMark, linesDrawing, styles} from './series.js';

/**
 * @import {Point} from '../../charts/line-chart.js'
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './series.js'
 */

/** The axis of an HDR percentile plot: 1 / (1 - percentile / 100). */
const marks = [
  {value: 1, label: '0 %'},
  {value: 2, label: '50 %'},
  {value: 10, label: '90 %'},
  {value: 100, label: '99 %'},
  {value: 1000, label: '99.9 %'},
  {value: 10_000, label: '99.99 %'},
  {value: 100_000, label: '99.999 %'},
];

const pointsPerDecade = 8;

/**
 * The whole distribution of each cell, up to the last percentile that ten samples are above: a chart for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string, floor: string}} table floor: the transport that the others are compared with
 * @returns {Chart[]}
 */
export function percentileCurves(records, {name, floor}) {
  const styleOf = styles(records, nameOf);
  const what = {
    table: name,
    id: 'percentiles',
    title: 'Percentiles of the latency',
    note: 'All samples of the trials that count, each trial weighted alike. A curve ends where fewer than ten samples are above it.',
  };
  return chartPerSize(records, what, (block, title) => {
    const series = block
      .map((record) => ({
        name: nameOf(record),
        style: styleOf(record),
        isDashed: record.transport === floor,
        points: curveOf(record),
      }))
      .filter(({points}) => points.length > 0);
    if (series.length === 0) return null;
    const points = series.flatMap(({points: some}) => some);
    const highest = Math.max(...points.map(({x}) => x));
    const end = marks.findIndex(({value}) => value >= highest * (1 - 1e-9));
    const y = logAxis(
      points.map((point) => point.y),
      {label: 'latency, ms', format: formatMark},
    );
    const x = markedLogAxis(marks.slice(0, Math.max(2, end + 1)), 'percentile');
    return linesDrawing({title, x, y, series}, nameOfPercentile);
  });
}

/** @param {CompletedRecord} record */
function nameOf({labels, openLoop}) {
  const name = nameOfVariant(labels);
  return openLoop ? `${name}, ${openLoop.offeredPerSecond}/s` : name;
}

/** @param {CompletedRecord} record @returns {Point[]} none without latencies */
function curveOf(record) {
  const some = usedHistograms(record.trials);
  if (some.length === 0) return [];
  const mixture = new Mixture(some);
  const points = [];
  for (let step = 0; ; step += 1) {
    const x = 10 ** (step / pointsPerDecade);
    const percentile = 100 * (1 - 1 / x);
    const valueNs = mixture.percentile(percentile);
    if (valueNs === null || x > marks[marks.length - 1].value) return points;
    const isNamed = step > 0 && step % pointsPerDecade === 0;
    const y = valueNs / 1e6;
    const value = formatShortMs(y);
    const text = cellText(record, `${nameOfPercentile(x)} ${value} ms`);
    points.push({x, y, ...(isNamed && {value, text})});
  }
}

/** @param {number} x on the axis */
function nameOfPercentile(x) {
  return `p${Number((100 * (1 - 1 / x)).toFixed(4))}`;
}
