import {readFileSync} from 'node:fs';

/** @import {Axis} from './chart.js' */

/** @type {Record<string, string>} */
const entities = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'};

/** What XML 1.0 does not allow at all, not even as an entity: most control characters, halves of surrogate pairs, and two that are no characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu;

/** Text for HTML and SVG, also within an attribute's quotes. @param {string} text */
export function escapeText(text) {
  return text.replace(forbidden, ' ').replace(/[&<>"']/g, (character) => entities[character]);
}

/**
 * An element of SVG.
 * @param {string} name @param {Record<string, string | number>} attributes numbers are rounded to a tenth
 * @param {...string} children markup
 * @returns {string} markup
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

/** @param {number} value @returns {number} in a tenth of a unit: less is not seen, and more makes the file longer */
export function roundToTenth(value) {
  return Math.round(value * 10) / 10;
}

/** As many colours as the style sheet has. Shapes and dashes tell series apart where colours do not. */
const colours = 8;
const fontPixels = 12;
/** Of the average character, generously. */
const characterPixels = 7;
const rowPixels = 20;
const linePixels = 15;
const sampleWidth = 24;

/** @param {number} style of a series */
export function classOf(style) {
  return `series-${style % colours}`;
}

/** Around a point: circle, square, triangle, diamond, triangle upside down, plus, cross. Each has an inside, which a hollow mark lacks. */
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
 * The mark of a point.
 * @param {number} style of its series
 * @param {{x: number, y: number}} at @param {string} [text] shown to a person who points at it
 * @param {{isHollow?: boolean | undefined}} [how]
 */
export function markOf(style, {x, y}, text, {isHollow = false} = {}) {
  const d = `M${roundToTenth(x)} ${roundToTenth(y)}${shapes[style % shapes.length]}`;
  const title = text === undefined ? [] : [`<title>${escapeText(text)}</title>`];
  return element('path', {class: isHollow ? 'mark hollow' : 'mark', d}, ...title);
}

/**
 * The line of a series: dashed for a floor. Series with the same shape have one dot more each in their dashes.
 * @param {{style: number, isDashed?: boolean | undefined}} series @param {string} d
 */
export function lineOf({style, isDashed = false}, d) {
  const dots = Math.floor(style / shapes.length);
  const dash = isDashed ? '6 4' : '12 3';
  const dashes = isDashed || dots > 0 ? {'stroke-dasharray': dash + ' 2 3'.repeat(dots)} : {};
  return element('path', {class: 'line', ...dashes, d});
}

/** The width of a text, about. @param {string} text @returns {number} in pixels */
export function widthOfText(text) {
  return text.length * characterPixels;
}

/**
 * A text in lines that fit. A word that is too long is broken.
 * @param {string} text @param {number} width in pixels
 * @returns {string[]}
 */
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

/** Whole characters, so that no surrogate pair is broken. @param {string} word @param {number} room in characters */
function piecesOf(word, room) {
  const characters = [...word];
  const count = Math.max(1, Math.ceil(characters.length / room));
  return Array.from({length: count}, (_, index) =>
    characters.slice(index * room, (index + 1) * room).join(''),
  );
}

/**
 * Lines of text below each other.
 * @param {readonly string[]} lines @param {{class?: string, x: number, y: number}} first where the first one stands
 * @returns {{markup: string, height: number}}
 */
export function paragraph(lines, {y, ...attributes}) {
  const texts = lines.map((line, index) => textElement({...attributes, y: y + index * linePixels}, line));
  return {markup: texts.join(''), height: lines.length * linePixels};
}

/**
 * The names of the series with their samples, in rows that fit.
 * @template {{name: string, style: number}} One
 * @param {readonly One[]} series
 * @param {{width: number, sample: (series: One, at: {x: number, y: number}) => string}} how sample: 22 pixels wide, around a point
 * @returns {{markup: string, height: number}}
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
 * The ticks of a horizontal axis, each with whether there is room for its label. A label that would touch the one before has none, but the last
 * one always has.
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

/** The marks of a vertical axis, with lines across the plot. @param {Axis} axis @param {{left: number, right: number, at: (value: number) => number}} plot */
export function verticalTicks({ticks}, {left, right, at}) {
  return ticks.flatMap(({value, label}) => [
    element('line', {class: 'grid', x1: left, x2: right, y1: at(value), y2: at(value)}),
    textElement({x: left - 8, y: at(value) + 4, 'text-anchor': 'end'}, label),
  ]);
}

/** The marks of a horizontal axis, below the plot. @param {Axis} axis @param {{bottom: number, at: (value: number) => number}} plot */
export function horizontalTicks({ticks}, {bottom, at}) {
  return withRoom(ticks, at).flatMap(({value, label, isShown}) => {
    const x = at(value);
    const mark = element('line', {class: 'tick', x1: x, x2: x, y1: bottom, y2: bottom + 5});
    return isShown ? [mark, textElement({x, y: bottom + 19, 'text-anchor': 'middle'}, label)] : [mark];
  });
}

/** The layouts: of a file, and of a column of the page or of a telephone. */
export const widths = {wide: 720, narrow: 340};

/** Its points stay elements of their own for a screen reader. In an image they would be hidden. */
const partsRole = 'graphics-document';

/**
 * The whole of a chart, with its caption.
 * @param {{title: string, width: number, height: number, caption: string | null}} chart @param {...string} content
 */
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

/** The style of all charts, with their colours in light and dark. */
export const chartStyle = readFileSync(new URL('./chart.css', import.meta.url), 'utf8');

/**
 * A chart as a file of its own, with its style and its background. It has no script for its points, so it is an image.
 * @param {string} svg @returns {string}
 */
export function standalone(svg) {
  const paper = '<rect class="paper" width="100%" height="100%"/>';
  const image = svg.replace(`role="${partsRole}"`, 'role="img"');
  return `${image.replace('>', () => `><style>${chartStyle}</style>${paper}`)}\n`;
}
