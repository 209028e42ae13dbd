import {formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/format-bytes.js';
import {Mixture} from '../../../stats/mixture.js';
import {logAxis, markedLogAxis} from '../../charts/axis.js';
import {lineChart} from '../../charts/line-chart.js';
import {usedHistograms} from '../../used-histogram.js';
import {cellText, formatMark} from './cell-text.js';
import {groupBy, styles} from './series.js';

/**
 * @import {Point} from '../../charts/line-chart.js'
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './chart.js'
 */

/** How many of so many samples are at most one above it: the axis of an HDR percentile plot. */
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
  return groupBy(records, ({payloadBytes}) => payloadBytes).flatMap((block) => {
    const series = block.flatMap((record) => {
      const points = curveOf(record);
      if (points.length === 0) return [];
      const isDashed = record.transport === floor;
      return [{name: nameOf(record), style: styleOf(record), isDashed, points}];
    });
    if (series.length === 0) return [];
    const all = series.flatMap(({points}) => points);
    const highest = Math.max(...all.map(({x}) => x));
    const ticks = marks.slice(
      0,
      Math.max(2, marks.findIndex(({value}) => value >= highest * (1 - 1e-9)) + 1),
    );
    const [{payloadBytes}] = block;
    const title = `Percentiles of the latency, ${formatSize(payloadBytes)} (${name})`;
    return [
      {
        id: `${name}-percentiles-${payloadBytes}`,
        title,
        note: 'All samples of the trials that count, each trial weighted alike. A curve ends where fewer than ten samples are above it.',
        svg: lineChart({
          title,
          x: markedLogAxis(highest > ticks[ticks.length - 1].value ? marks : ticks, 'percentile'),
          y: logAxis(
            all.map(({y}) => y),
            {label: 'latency, ms', format: formatMark},
          ),
          series,
        }),
      },
    ];
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
    const text = `p${Number(percentile.toFixed(4))} ${formatShortMs(y)} ms`;
    points.push({x, y, ...(isNamed && {text: cellText(record, text)})});
  }
}
