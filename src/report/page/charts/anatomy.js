import {formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {linearAxis} from '../../charts/axis.js';
import {barChart} from '../../charts/bar-chart.js';
import {cellText, formatMark} from './cell-text.js';
import {chartPerSize} from './series.js';

/**
 * @import {Bar} from '../../charts/bar-chart.js'
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './chart.js'
 */

const parts = ["to the server's handler", 'in it', 'back'];

/**
 * What the mean round trips consist of, of the cells that were measured with --anatomy: a chart for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string}} table
 * @returns {Chart[]}
 */
export function anatomyOfMeans(records, {name}) {
  const what = {
    table: name,
    id: 'anatomy',
    title: 'What the mean round trip consists of',
    note: "The server's handler computes the reply. Everything else is part of a way: libraries, kernel, network, broker.",
  };
  return chartPerSize(records, what, (block, title) => {
    const bars = block.flatMap(barOf);
    if (bars.length === 0) return null;
    const sums = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part, 0));
    const x = linearAxis(sums, {label: 'mean round trip, ms', format: formatMark});
    return barChart({title, x, parts, bars});
  });
}

/** @param {CompletedRecord} record @returns {Bar[]} none without --anatomy */
function barOf(record) {
  if (!record.anatomy) return [];
  const {request, handler, reply} = record.anatomy;
  const means = [request, handler, reply];
  const each = means.map(({meanMs, ci95Ms}, index) => `${parts[index]} ${formatShortMs(meanMs, ci95Ms)} ms`);
  return [
    {
      name: nameOfVariant(record.labels),
      parts: means.map(({meanMs}) => Math.max(0, meanMs)),
      text: cellText(record, each.join(', ')),
    },
  ];
}
