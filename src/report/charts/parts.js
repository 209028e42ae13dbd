import {readFileSync} from 'node:fs';

/** @import {Axis} from './chart.js' */

/** @type {Record<string, string>} */
const entities = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'};

/** Characters that XML 1.0 forbids even as entities: most control characters, lone surrogates, and two noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu;

/** Escapes a text for HTML and SVG, also within a quoted attribute. @param {string} text */
export function escapeText(text) {
  return text.replace(forbidden, ' ').replace(/[&<>"']/g, (character) => entities[character]);
}

/**
 * Returns an SVG element.
 * @param {string} name @param {Record<string, string | number>} attributes numbers are rounded to a tenth @param {...string} children markup
 */
export function element(name, attributes, ...children) {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? roundToTenth(value) : escapeText(value)}"`)
    .join('');
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`;
}

/** @param {Record<string, string | number>} attributes x, y and more @param {string} content */
export function textElement(attributes, content) {
  return element('text', attributes, escapeText(content));
}

/** A smaller step than a tenth is invisible and makes the file longer. @param {number} value */
export function roundToTenth(value) {
  return Math.round(value * 10) / 10;
}

/** The number of colours in the style sheet. Shapes and dashes tell series apart where colours do not. */
const colours = 8;
const fontPixels = 12;
/** A generous width of the average character. */
const characterPixels = 7;
const rowPixels = 20;
const linePixels = 15;
const sampleWidth = 24;

/** @param {number} style of a series */
export function classOf(style) {
  return `series-${style % colours}`;
}

/** Outlines around a point: circle, square, triangle, diamond, inverted triangle, plus, cross. A hollow mark has no fill. */
const shapes = [
  'm-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z',
  'm-3.6 -3.6h7.2v7.2h-7.2z',
  'm0 -4.3l4.3 7.6h-8.6z',
  'm0 -4.7l4.7 4.7l-4.7 4.7l-4.7 -4.7z',
  'm0 4.3l4.3 -7.6h-8.6z',
  'm-1.4 -4.6h2.8v3.2h3.2v2.8h-3.2v3.2h-2.8v-3.2h-3.2v-2.8h3.2z',
  'm0 -2l2.3 -2.3l2 2l-2.3 2.3l2.3 2.3l-2 2l-2.3 -2.3l-2.3 2.3l-2 -2l2.3 -2.3l-2.3 -2.3l2 -2z',
];

/**
 * Returns the mark of a point.
 * @param {number} style of the series @param {{x: number, y: number}} at @param {string} [text] shown when a reader points at the mark
 * @param {{isHollow?: boolean | undefined}} [how]
 */
export function markOf(style, {x, y}, text, {isHollow = false} = {}) {
  const d = `M${roundToTenth(x)} ${roundToTenth(y)}${shapes[style % shapes.length]}`;
  const title = text === undefined ? [] : [`<title>${escapeText(text)}</title>`];
  return element('path', {class: isHollow ? 'mark hollow' : 'mark', d}, ...title);
}

/**
 * Returns the line of a series, dashed for a floor. Series with the same shape differ in the number of dots in their dashes.
 * @param {{style: number, isDashed?: boolean | undefined}} series @param {string} d
 */
export function lineOf({style, isDashed = false}, d) {
  const dots = Math.floor(style / shapes.length);
  const dash = isDashed ? '6 4' : '12 3';
  const dashes = isDashed || dots > 0 ? {'stroke-dasharray': dash + ' 2 3'.repeat(dots)} : {};
  return element('path', {class: 'line', ...dashes, d});
}

/** Estimates the width of a text. @param {string} text @returns {number} in pixels */
export function widthOfText(text) {
  return text.length * characterPixels;
}

/** Breaks a text into lines of a width. A word that is too long is broken. @param {string} text @param {number} width in pixels */
export function linesOf(text, width) {
  const room = Math.max(1, Math.floor(width / characterPixels));
  const [first = '', ...words] = text.split(' ').flatMap((word) => piecesOf(word, room));
  const lines = [first];
  for (const word of words) {
    const longer = `${lines[lines.length - 1]} ${word}`;
    if (longer.length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Splits a word between whole characters, never within a surrogate pair. @param {string} word @param {number} room in characters */
function piecesOf(word, room) {
  const characters = [...word];
  const count = Math.max(1, Math.ceil(characters.length / room));
  return Array.from({length: count}, (_, index) =>
    characters.slice(index * room, (index + 1) * room).join(''),
  );
}

/**
 * Returns lines of text below each other.
 * @param {readonly string[]} lines @param {{class?: string, x: number, y: number}} first position of the first line
 */
export function paragraph(lines, {y, ...attributes}) {
  const texts = lines.map((line, index) => textElement({...attributes, y: y + index * linePixels}, line));
  return {markup: texts.join(''), height: lines.length * linePixels};
}

/**
 * Returns the names of the series with their samples, in rows of a width.
 * @template {{name: string, style: number}} One @param {readonly One[]} series
 * @param {{width: number, sample: (series: One, at: {x: number, y: number}) => string}} how sample: 22 pixels wide, around a point
 */
export function legendOf(series, {width, sample}) {
  let x = 0;
  let y = 0;
  let height = rowPixels;
  const items = series.map((one) => {
    const lines = linesOf(one.name, width - sampleWidth - 4);
    const itemWidth = sampleWidth + 14 + Math.max(...lines.map(widthOfText));
    if (x > 0 && x + itemWidth - 10 > width) {
      x = 0;
      y += height;
      height = rowPixels;
    }
    const at = {x: x + sampleWidth / 2, y: y + rowPixels / 2};
    const label = paragraph(lines, {x: at.x + sampleWidth / 2 + 3, y: at.y + fontPixels / 3});
    x += itemWidth;
    height = Math.max(height, label.height + 5);
    return element('g', {class: classOf(one.style)}, sample(one, at), label.markup);
  });
  return {markup: items.join(''), height: y + height};
}

/**
 * Decides which ticks of a horizontal axis show their labels. A label that would touch the previous label or the last label is left out.
 * @param {readonly {value: number, label: string}[]} ticks @param {(value: number) => number} at in pixels
 */
export function withRoom(ticks, at) {
  const beginOf = (/** @type {typeof ticks[number]} */ {value, label}) => at(value) - widthOfText(label) / 2;
  const last = ticks[ticks.length - 1];
  let end = Number.NEGATIVE_INFINITY;
  return ticks.map((tick) => {
    const endOfTick = beginOf(tick) + widthOfText(tick.label);
    const isShown = tick === last || (beginOf(tick) >= end + 4 && endOfTick + 4 <= beginOf(last));
    if (isShown) end = endOfTick;
    return {...tick, isShown};
  });
}

/**
 * Returns the marks of a vertical axis, with lines across the plot.
 * @param {Axis} axis @param {{left: number, right: number, at: (value: number) => number}} plot
 */
export function verticalTicks({ticks}, {left, right, at}) {
  return ticks.flatMap(({value, label}) => [
    element('line', {class: 'grid', x1: left, x2: right, y1: at(value), y2: at(value)}),
    textElement({x: left - 8, y: at(value) + 4, 'text-anchor': 'end'}, label),
  ]);
}

/** @param {Axis} axis @param {{bottom: number, at: (value: number) => number}} plot */
export function horizontalTicks({ticks}, {bottom, at}) {
  return withRoom(ticks, at).flatMap(({value, label, isShown}) => {
    const x = at(value);
    const mark = element('line', {class: 'tick', x1: x, x2: x, y1: bottom, y2: bottom + 5});
    return isShown ? [mark, textElement({x, y: bottom + 19, 'text-anchor': 'middle'}, label)] : [mark];
  });
}

/** Widths in pixels of a chart: wide in a file; narrow in a column of the page or on a phone. */
export const widths = {wide: 720, narrow: 340};

/** With this role, a screen reader reaches the single points. In an image they would be hidden. */
const partsRole = 'graphics-document';

/** @param {{title: string, width: number, height: number, caption: string | null}} chart @param {...string} content */
export function frame({title, width, height, caption}, ...content) {
  const lines = caption === null ? [] : linesOf(caption, width - 16);
  const below = paragraph(lines, {class: 'label', x: 8, y: height + 16});
  const whole = height + (caption === null ? 0 : below.height + 12);
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${roundToTenth(whole)}`,
      role: partsRole,
      'aria-label': title,
    },
    ...content,
    below.markup,
  );
}

/** The style of all charts, with colours for light and dark pages. */
export const chartStyle = readFileSync(new URL('./chart.css', import.meta.url), 'utf8');

/** Returns a chart as a file with its style and background. The file has no script for the points, so its role is image. @param {string} svg */
export function standalone(svg) {
  const paper = '<rect class="paper" width="100%" height="100%"/>';
  const image = svg.replace(`role="${partsRole}"`, 'role="img"');
  return `${image.replace('>', () => `><style>${chartStyle}</style>${paper}`)}\n`;
}
