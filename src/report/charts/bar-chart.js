import {classOf, legendOf, widthOfText} from './marks.js';
import {element, escapeText, roundToTenth, textElement} from './svg.js';

/** @import {Axis} from './axis.js' */

/**
 * @typedef {{name: string, parts: readonly number[], text: string}} Bar parts: one for each name of a part; text: shown to a person who
 *   points at it
 */

const width = 720;
const rowPixels = 22;
const barPixels = 14;
const right = 32;
const maxNamePixels = 300;

/**
 * A horizontal bar for each row, stacked of its parts.
 *
 * @param {object} chart
 * @param {string} chart.title for those who do not see it
 * @param {Axis} chart.x from 0
 * @param {readonly string[]} chart.parts their names
 * @param {readonly Bar[]} chart.bars
 * @returns {string} SVG, without its style
 */
export function barChart({title, x, parts, bars}) {
  const left = 12 + Math.min(maxNamePixels, Math.max(...bars.map(({name}) => widthOfText(name))));
  const legend = legendOf(
    parts.map((name, style) => ({name, style})),
    {width: width - left - right, mark: swatch},
  );
  const top = legend.height + 8;
  const bottom = top + bars.length * rowPixels;
  const place = (/** @type {number} */ value) => left + (width - right - left) * x.toShare(value);
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${roundToTenth(bottom + 46)}`,
      role: 'img',
      'aria-label': title,
    },
    element('g', {transform: `translate(${roundToTenth(left)} 0)`}, legend.markup),
    ...x.ticks.flatMap(({value, label}) => [
      element('line', {class: 'grid', x1: place(value), x2: place(value), y1: top, y2: bottom}),
      textElement({x: place(value), y: bottom + 17, 'text-anchor': 'middle'}, label),
    ]),
    textElement(
      {class: 'label', x: (left + width - right) / 2, y: bottom + 36, 'text-anchor': 'middle'},
      x.label,
    ),
    ...bars.map((bar, row) => barOf(bar, {top: top + row * rowPixels, left, place})),
  );
}

/** @param {number} _style @param {{x: number, y: number}} at */
function swatch(_style, {x, y}) {
  return element('rect', {class: 'bar', x: x - 5, y: y - 5, width: 10, height: 10});
}

/** @param {Bar} bar @param {{top: number, left: number, place: (value: number) => number}} row */
function barOf({name, parts, text}, {top, left, place}) {
  let sum = 0;
  const rectangles = parts.map((part, index) => {
    const begin = place(sum);
    sum += part;
    const size = {
      x: begin,
      y: top + (rowPixels - barPixels) / 2,
      width: place(sum) - begin,
      height: barPixels,
    };
    return element('g', {class: classOf(index)}, element('rect', {class: 'bar', ...size}));
  });
  const label = textElement({x: left - 8, y: top + rowPixels / 2 + 4, 'text-anchor': 'end'}, name);
  return element('g', {}, `<title>${escapeText(text)}</title>`, label, ...rectangles);
}
