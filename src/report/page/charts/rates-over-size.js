import {formatRate} from '../../../columns/figures.js';
import {groupBy} from '../../../stats/numbers.js';
import {linearAxis, logAxis} from '../../charts/axis.js';
import {lineChart} from '../../charts/line-chart.js';

/**
 * Rates over the message size, a line for each configuration, as the Enduro/X benchmark draws its data files. The rate is on a logarithmic axis.
 * @param {readonly {configuration: string, size: number, callsPerSecond: number}[]} rows size: in KB; at least one row has a rate above zero
 * @param {string} title
 * @returns {string} SVG, without its style
 */
export function ratesOverSize(rows, title) {
  const drawn = rows.filter(({callsPerSecond}) => callsPerSecond > 0);
  const series = [...groupBy(drawn, ({configuration}) => configuration)].map(([name, points], style) => ({
    ...{name, style},
    points: points.map(({size, callsPerSecond}) => ({
      x: size,
      y: callsPerSecond,
      text: `${name}, ${size} KB: ${formatRate(callsPerSecond)}/s`,
    })),
  }));
  return lineChart({
    title,
    x: linearAxis(
      drawn.map(({size}) => size),
      {label: 'message size, KB', format: String},
    ),
    y: logAxis(
      drawn.map(({callsPerSecond}) => callsPerSecond),
      {label: 'calls per second', format: formatRate},
    ),
    series,
  });
}
