import {clamp} from '../../stats/numbers.js';
import {
  classOf,
  element,
  frame,
  horizontalTicks,
  legendOf,
  lineOf,
  markOf,
  roundToTenth,
  textElement,
  verticalTicks,
  widths,
} from './parts.js';

/** @import {Layout, Lines, Series} from './chart.js' */

const margin = {left: 58, right: 28, bottom: 46};

/**
 * Draws lines over an axis, with a mark and an interval at each point. The same input gives the same characters.
 * @param {Lines} lines @param {Layout} [layout] @returns {string} SVG, without its style
 */
export function lineChart({title, x, y, series, rules = []}, {width = widths.wide, caption = null} = {}) {
  const legend = legendOf(series, {width: width - 16, sample: sampleOf});
  const plotHeight = width < 500 ? 220 : 300;
  const top = legend.height + 10;
  const bottom = top + plotHeight;
  const [left, right] = [margin.left, width - margin.right];
  const place = {
    x: (/** @type {number} */ value) => left + (right - left) * x.toShare(value),
    // An unbounded interval ends at the edge of the plot.
    y: (/** @type {number} */ value) => bottom - plotHeight * clamp(y.toShare(value), 0, 1),
  };
  return frame(
    {title, width, height: bottom + margin.bottom, caption},
    element('g', {transform: 'translate(8 0)'}, legend.markup),
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
    ...rules.map((value) => ruleAt(place.x(value), {top, bottom})),
    ...series.map((one) => seriesOf(one, place)),
  );
}

/** @param {Series} series @param {{x: number, y: number}} at */
function sampleOf(series, {x, y}) {
  return lineOf(series, `M${roundToTenth(x - 11)} ${roundToTenth(y)}h22`) + markOf(series.style, {x, y});
}

/** @param {number} x @param {{top: number, bottom: number}} plot */
function ruleAt(x, {top, bottom}) {
  return element('line', {class: 'tick', 'stroke-dasharray': '3 3', x1: x, x2: x, y1: top, y2: bottom});
}

/** @param {Series} series @param {{x: (value: number) => number, y: (value: number) => number}} place */
function seriesOf(series, place) {
  const {points, style} = series;
  const path = points.map(({x, y, beginsLine}, index) => {
    const begin = index === 0 || beginsLine ? 'M' : 'L';
    return `${begin}${roundToTenth(place.x(x))} ${roundToTenth(place.y(y))}`;
  });
  const marks = points.flatMap(({x, y, interval, text, isHollow}) => {
    if (text === undefined) return [];
    const at = {x: place.x(x), y: place.y(y)};
    const ends = interval?.map(place.y);
    return [
      ...(ends ? [element('line', {class: 'interval', x1: at.x, x2: at.x, y1: ends[0], y2: ends[1]})] : []),
      markOf(style, at, text, {isHollow}),
    ];
  });
  return element('g', {class: classOf(style)}, lineOf(series, path.join('') || 'M'), ...marks);
}
