import {formatCpu, formatRate} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {linearAxis} from '../../charts/axis.js';
import {barsDrawing, cellText, chartPerSize, formatMark} from './series.js';

/**
 * @import {Bar} from '../../charts/bar-chart.js'
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './series.js'
 */

const roles = /** @type {const} */ (['client', 'server', 'broker']);

/**
 * The CPU time of each role for a message: a chart for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string}} table
 * @returns {Chart[]}
 */
export function cpuPerMessage(records, {name}) {
  const what = {
    table: name,
    id: 'cpu',
    title: 'CPU time for a message',
    note: 'Of a broker that serves all cells, the time that it used while the cell was measured.',
  };
  return chartPerSize(records, what, (block, title) => {
    const bars = block.flatMap(barOf);
    if (bars.length === 0) return null;
    const sums = bars.map(({parts}) => parts.reduce((sum, part) => sum + part, 0));
    const x = linearAxis(sums, {label: 'CPU time for a message, µs', format: formatMark});
    return barsDrawing({title, x, parts: roles, bars});
  });
}

/** @param {CompletedRecord} record @returns {Bar[]} none if no CPU time is known */
function barOf(record) {
  const known = roles.flatMap((role) => {
    const micros = record.cpu[role]?.microsPerMessage ?? null;
    return micros === null ? [] : [{role, micros}];
  });
  if (known.length === 0) return [];
  const rate = record.openLoop ? `, ${record.openLoop.offeredPerSecond}/s` : '';
  const microsOf = (/** @type {typeof roles[number]} */ role) =>
    known.find((one) => one.role === role)?.micros;
  const each = known.map(({role, micros}) => `${role} ${formatRate(micros)} µs`);
  return [
    {
      name: `${nameOfVariant(record.labels)}${rate}`,
      parts: roles.map((role) => microsOf(role) ?? 0),
      values: roles.map((role) => textOf(microsOf(role))),
      text: cellText(record, `${formatCpu(record)} µs: ${each.join(', ')}`),
    },
  ];
}

/** @param {number | undefined} micros */
function textOf(micros) {
  return micros === undefined ? '' : formatRate(micros);
}
