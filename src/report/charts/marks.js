import {element, escapeText, roundToTenth, textElement} from './svg.js';

/** As many colours as the style sheet has. Shapes tell series apart where colours do not. */
const colours = 8;
const fontPixels = 12;
/** Of the average character, generously. */
const characterPixels = 7;
const rowPixels = 20;
const radius = 3.6;

/** @param {number} style of a series */
export function classOf(style) {
  return `series series-${style % colours}`;
}

/** The shapes, around 0: circle, square, triangle, diamond, cross. @type {readonly ((r: number) => string)[]} */
const shapes = [
  (r) => `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `m${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `m0 ${-1.2 * r}l${1.2 * r} ${2.1 * r}h${-2.4 * r}z`,
  (r) => `m0 ${-1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
  (r) => `m${-r} ${-r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`,
];

/**
 * The mark of a point.
 * @param {number} style of its series
 * @param {{x: number, y: number}} at
 * @param {string} [text] shown to a person who points at it
 */
export function markOf(style, {x, y}, text) {
  const shape = shapes[style % shapes.length](radius).replace(/-?\d+\.\d+/g, (number) =>
    String(roundToTenth(Number(number))),
  );
  const path = {class: 'mark', d: `M${roundToTenth(x)} ${roundToTenth(y)}${shape}`};
  const title = text === undefined ? [] : [`<title>${escapeText(text)}</title>`];
  return element('path', path, ...title);
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
