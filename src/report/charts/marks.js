import {element, escapeText, roundToTenth, textElement} from './svg.js';

/** As many colours as the style sheet has. Shapes tell series apart where colours do not. */
const colours = 8;
const fontPixels = 12;
/** Of the average character, generously. */
const characterPixels = 7;
const rowPixels = 20;

/** @param {number} style of a series */
export function classOf(style) {
  return `series-${style % colours}`;
}

/** Around a point: circle, square, triangle, diamond, cross. */
const shapes = [
  'm-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z',
  'm-3.6 -3.6h7.2v7.2h-7.2z',
  'm0 -4.3l4.3 7.6h-8.6z',
  'm0 -4.7l4.7 4.7l-4.7 4.7l-4.7 -4.7z',
  'm-3.6 -3.6l7.2 7.2m0 -7.2l-7.2 7.2',
];

/**
 * The mark of a point.
 * @param {number} style of its series
 * @param {{x: number, y: number}} at
 * @param {string} [text] shown to a person who points at it
 * @param {{isHollow?: boolean | undefined}} [how]
 */
export function markOf(style, {x, y}, text, {isHollow = false} = {}) {
  const d = `M${roundToTenth(x)} ${roundToTenth(y)}${shapes[style % shapes.length]}`;
  const title = text === undefined ? [] : [`<title>${escapeText(text)}</title>`];
  return element('path', {class: isHollow ? 'mark hollow' : 'mark', d}, ...title);
}

/** The width of a text, about. @param {string} text @returns {number} in pixels */
export function widthOfText(text) {
  return text.length * characterPixels;
}

/**
 * The names of the series with their marks, in rows that fit.
 * @param {readonly {name: string, style: number}[]} series
 * @param {{width: number, mark: (style: number, at: {x: number, y: number}) => string}} how
 * @returns {{markup: string, height: number}}
 */
export function legendOf(series, {width, mark}) {
  let x = 0;
  let row = 0;
  const items = series.map(({name, style}) => {
    const itemWidth = 22 + widthOfText(name);
    if (x > 0 && x + itemWidth > width) {
      x = 0;
      row += 1;
    }
    const at = {x: x + 7, y: row * rowPixels + rowPixels / 2};
    x += itemWidth;
    const label = textElement({x: at.x + 9, y: at.y + fontPixels / 3}, name);
    return element('g', {class: classOf(style)}, mark(style, at), label);
  });
  return {markup: items.join(''), height: (row + 1) * rowPixels};
}
