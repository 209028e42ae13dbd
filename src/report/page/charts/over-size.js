import {nameOfVariant} from '../../../columns/names.js';
import {formatSize} from '../../../payload/bytes.js';
import {groupBy} from '../../../stats/numbers.js';
import {logAxis, markedLogAxis} from '../../charts/axis.js';
import {comparedFigures} from './compared-figures.js';
import {cellText, linesDrawing, sizesOf} from './series.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './series.js'
 */

/**
 * The figure that a workload is compared by, over the payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string, floor: string}} table floor: the transport that the others are compared with
 * @returns {Chart[]} none for a single size
 */
export function figureOverSize(records, {name, floor}) {
  const sizes = sizesOf(records);
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
        return [{x: cell.payloadBytes, y: value, interval, value: text, text: said}];
      }),
  }));
  const drawn = series.filter(({points}) => points.length > 0);
  if (drawn.length === 0) return [];
  const values = drawn.flatMap(({points}) => points.map(({y}) => y));
  const title = `${figure.title} over payload size (${name})`;
  return [
    {
      id: `${name}-over-size`,
      title,
      note: noteOn(drawn),
      isMain: true,
      ...linesDrawing(
        {
          title,
          x: markedLogAxis(sizes, 'payload size'),
          y: logAxis(values, {label: figure.label, format: figure.format}),
          series: drawn,
        },
        formatSize,
      ),
    },
  ];
}

/** What of it is drawn. @param {readonly {isDashed: boolean, points: readonly {interval: unknown}[]}[]} drawn */
function noteOn(drawn) {
  const hasIntervals = drawn.some(({points}) => points.some(({interval}) => interval !== null));
  return [
    ...(hasIntervals ? ['Vertical lines are 95 % intervals over trials.'] : []),
    ...(drawn.some(({isDashed}) => isDashed) ? ['The dashed line is raw TCP, the floor.'] : []),
    'Both axes are logarithmic.',
  ].join(' ');
}
