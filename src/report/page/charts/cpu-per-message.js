import {formatCpu, formatRate} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/format-bytes.js';
import {linearAxis} from '../../charts/axis.js';
import {barChart} from '../../charts/bar-chart.js';
import {cellText, formatMark} from './cell-text.js';
import {groupBy} from './series.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './chart.js'
 */

const roles = /** @type {const} */ (['client', 'server', 'broker']);

/**
 * The CPU time of each role for a message: a chart for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string}} table
 * @returns {Chart[]}
 */
export function cpuPerMessage(records, {name}) {
  return groupBy(records, ({payloadBytes}) => payloadBytes).flatMap((block) => {
    const bars = block.flatMap((record) => {
      const micros = roles.map((role) => record.cpu[role]?.microsPerMessage ?? null);
      if (micros.every((one) => one === null)) return [];
      const each = roles.flatMap((role, index) => {
        const one = micros[index];
        return one === null ? [] : [`${role} ${formatRate(one)} µs`];
      });
      const rate = record.openLoop ? `, ${record.openLoop.offeredPerSecond}/s` : '';
      return [
        {
          name: `${nameOfVariant(record.labels)}${rate}`,
          parts: micros.map((one) => one ?? 0),
          text: cellText(record, `${formatCpu(record)} µs: ${each.join(', ')}`),
        },
      ];
    });
    if (bars.length === 0) return [];
    const [{payloadBytes}] = block;
    const title = `CPU time for a message, ${formatSize(payloadBytes)} (${name})`;
    const sums = bars.map(({parts}) => parts.reduce((sum, part) => sum + part, 0));
    return [
      {
        id: `${name}-cpu-${payloadBytes}`,
        title,
        note: 'Of a broker that serves all cells, the time that it used while the cell was measured.',
        svg: barChart({
          title,
          x: linearAxis(sums, {label: 'CPU time for a message, µs', format: formatMark}),
          parts: roles,
          bars,
        }),
      },
    ];
  });
}
