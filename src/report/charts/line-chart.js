import {clamp} from '../../stats/numbers.js';
import {classOf, legendOf, markOf, widthOfText} from './marks.js';
import {element, roundToTenth, textElement} from './svg.js';

/** @import {Axis} from './axis.js' */

/**
 * @typedef {object} Point
 * @property {number} x
 * @property {number} y
 * @property {readonly [low: number, high: number] | null} [interval] of y
 * @property {boolean} [isHollow] whether its mark is only an outline
 * @property {string} [text] shown to a person who points at it; a point without one has no mark
 *
 * @typedef {{name: string, style: number, points: readonly Point[], isDashed?: boolean}} Series style: which colour and shape
 */

const width = 720;
const plotHeight = 300;
const margin = {left: 62, right: 32, bottom: 46};

/**
 * Lines over an axis, with a mark and an interval at each point. The same input gives the same characters.
 *
 * @param {object} chart
 * @param {string} chart.title for those who do not see it
 * @param {Axis} chart.x
 * @param {Axis} chart.y
 * @param {readonly Series[]} chart.series
 * @returns {string} SVG, without its style
 */
export function lineChart({title, x, y, series}) {
  const legend = legendOf(series, {width: width - margin.left - margin.right, mark: markOf});
  const top = legend.height + 10;
  const bottom = top + plotHeight;
  const [left, right] = [margin.left, width - margin.right];
  const place = {
    x: (/** @type {number} */ value) => left + (right - left) * x.toShare(value),
    // An interval may be unbounded; it ends at the edge of the plot.
    y: (/** @type {number} */ value) => bottom - plotHeight * clamp(y.toShare(value), 0, 1),
  };
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${roundToTenth(bottom + margin.bottom)}`,
      role: 'img',
      'aria-label': title,
    },
    element('g', {transform: `translate(${left} 0)`}, legend.markup),
    ...verticalTicks(y, {left, right, at: place.y}),
    ...horizontalTicks(x, {bottom, at: place.x}),
    textElement({class: 'label', x: (left + right) / 2, y: bottom + 38, 'text-anchor': 'middle'}, x.label),
    textElement(
      {
        class: 'label',
        'text-anchor': 'middle',
        transform: `translate(14 ${roundToTenth((top + bottom) / 2)}) rotate(-90)`,
      },
      y.label,
    ),
    ...series.map((one) => seriesOf(one, place)),
  );
}

/** @param {Axis} axis @param {{left: number, right: number, at: (value: number) => number}} plot */
function verticalTicks({ticks}, {left, right, at}) {
  return ticks.flatMap(({value, label}) => [
    element('line', {class: 'grid', x1: left, x2: right, y1: at(value), y2: at(value)}),
    textElement({x: left - 8, y: at(value) + 4, 'text-anchor': 'end'}, label),
  ]);
}

/** A label that would touch the one before is left out, but never the last one. @param {Axis} axis @param {{bottom: number, at: (value: number) => number}} plot */
function horizontalTicks({ticks}, {bottom, at}) {
  const endOf = (/** @type {{value: number, label: string}} */ {value, label}) =>
    at(value) + widthOfText(label) / 2;
  const beginOf = (/** @type {{value: number, label: string}} */ {value, label}) =>
    at(value) - widthOfText(label) / 2;
  const last = ticks[ticks.length - 1];
  let end = Number.NEGATIVE_INFINITY;
  return ticks.flatMap((tick) => {
    const mark = element('line', {
      class: 'tick',
      x1: at(tick.value),
      x2: at(tick.value),
      y1: bottom,
      y2: bottom + 5,
    });
    const isHidden = tick !== last && (beginOf(tick) < end + 4 || endOf(tick) + 4 > beginOf(last));
    if (isHidden) return mark;
    end = endOf(tick);
    return [mark, textElement({x: at(tick.value), y: bottom + 19, 'text-anchor': 'middle'}, tick.label)];
  });
}

/**
 * @param {Series} series
 * @param {{x: (value: number) => number, y: (value: number) => number}} place
 */
function seriesOf({points, style, isDashed}, place) {
  const positions = points.map(({x, y}) => `${roundToTenth(place.x(x))} ${roundToTenth(place.y(y))}`);
  const line = element('path', {class: isDashed ? 'line dashed' : 'line', d: `M${positions.join('L')}`});
  const marks = points.flatMap(({x, y, interval, text, isHollow}) => {
    if (text === undefined) return [];
    const at = {x: place.x(x), y: place.y(y)};
    const ends = interval?.map(place.y);
    return [
      ...(ends ? [element('line', {class: 'interval', x1: at.x, x2: at.x, y1: ends[0], y2: ends[1]})] : []),
      markOf(style, at, text, {isHollow}),
    ];
  });
  return element('g', {class: classOf(style)}, line, ...marks);
}
