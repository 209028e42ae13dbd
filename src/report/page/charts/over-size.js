import {isSuspect, suspectMark} from '../../../columns/columns.js';
import {formatMean, formatRate, formatRateMean} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/bytes.js';
import {ascending, groupBy} from '../../../stats/numbers.js';
import {linearAxis, logAxis, markedLogAxis} from '../../charts/axis.js';
import {lineChart} from '../../charts/line-chart.js';
import {cellText, cutNote, formatMark, linesDrawing, reachOf} from './series.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Axis, Chart} from '../../charts/chart.js'
 */

/**
 * Draws the figure that cells of a workload are compared by, over the payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string, floor: string}} table floor: the transport that the others are compared with @returns {Chart[]} empty for a single size
 */
export function figureOverSize(records, {name, floor}) {
  const sizes = ascending(records.map(({payloadBytes}) => payloadBytes));
  const closed = records.filter(({openLoop}) => openLoop === null);
  if (sizes.length < 2 || closed.length === 0) return [];
  const [{comparedBy}] = closed;
  const figure = comparedFigures[comparedBy];
  const series = [...groupBy(closed, ({labels}) => nameOfVariant(labels))].map(([label, cells], style) => ({
    style,
    name: label,
    isDashed: cells[0].transport === floor,
    points: cells
      .toSorted((one, other) => one.payloadBytes - other.payloadBytes)
      .flatMap((cell) => {
        const {value, interval, text} = figure.of(cell);
        if (value === null) return [];
        const said = cellText(cell, `${text} ${figure.unit}`);
        const isHollow = isSuspect(cell);
        const shown = isHollow ? `${text}${suspectMark}` : text;
        return [{x: cell.payloadBytes, y: value, interval, value: shown, text: said, isHollow}];
      }),
  }));
  const drawn = series.filter(({points}) => points.length > 0);
  if (drawn.length === 0) return [];
  const all = drawn.flatMap(({points}) => points);
  const y = logAxis(reachOf(all), {label: figure.label, format: formatMark});
  const title = `${figure.title} over payload size (${name})`;
  return [
    {
      id: `${name}-over-size`,
      title,
      note: noteOn(drawn, y),
      isMain: true,
      ...linesDrawing(
        {
          title,
          x: markedLogAxis(
            sizes.map((value) => ({value, label: formatSize(value)})),
            'payload size',
          ),
          y,
          series: drawn,
        },
        formatSize,
      ),
    },
  ];
}

/** @param {readonly {isDashed: boolean, points: readonly {interval: readonly number[] | null, isHollow: boolean}[]}[]} drawn @param {Axis} y */
function noteOn(drawn, y) {
  const points = drawn.flatMap((one) => one.points);
  const hasIntervals = points.some(({interval}) => interval !== null);
  return [
    ...(hasIntervals ? ['Vertical lines are 95 % intervals over trials.'] : []),
    ...cutNote(points, y),
    ...(points.some(({isHollow}) => isHollow) ? ['A hollow mark is suspect.'] : []),
    ...(drawn.some(({isDashed}) => isDashed) ? ['The dashed line is raw TCP, the floor.'] : []),
    'Both axes are logarithmic.',
  ].join(' ');
}

/**
 * Describes the figure by which cells are compared: its name, its unit, and how it is read and written.
 * @type {Record<CompletedRecord['comparedBy'], {title: string, label: string, unit: string,
 *   of: (record: CompletedRecord) => {value: number | null, interval: [number, number] | null, text: string}}>}
 */
export const comparedFigures = {
  latency: {
    title: 'Mean round trip',
    label: 'mean, ms',
    unit: 'ms',
    of: ({rtt}) => ({
      value: rtt?.meanMs ?? null,
      interval: rtt?.ci95Ms ?? null,
      text: rtt ? formatMean(rtt) : '',
    }),
  },
  rate: {
    title: 'Messages per second',
    label: 'messages per second',
    unit: 'messages/s',
    of: ({throughput}) => ({
      value: throughput.messagesPerSecond,
      interval: throughput.ci95MessagesPerSecond,
      text: formatRateMean(throughput),
    }),
  },
};

/**
 * Draws rates over the message size, with a line for each configuration, as the Enduro/X benchmark draws its data files. The rate axis is logarithmic.
 * @param {readonly {configuration: string, size: number, callsPerSecond: number}[]} rows size: in KB; at least one row has a rate above zero
 * @param {string} title @returns {string} SVG, without its style
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
